// The lab's drivers: a CSI driver whose volumes are small tmpfs in the node's own mount namespace, and a DRA driver
// whose devices are nothing at all. And what stands beside them on a node: a network plugin (cni.go) and a caller of the
// runtime (sandbox.go).
//
//	labcsi csi -name NAME -node NODE
//	labcsi dra -name NAME -node NODE
//	labcsi sandbox -name POD -namespace NAMESPACE -uid UID
//	labnet                                  # the same program, called as a CNI plugin
//
// A driver runs in a node, registers with that node's kubelet as any driver does (kubelet plugin registration v1), and ends
// with it. Files in its -control directory make it fail for as long as they are there: `hang` and `fail` where a volume
// is unpublished or a claim is unprepared, and the same after `detach-` where a volume is detached, after `publish-` where
// one is published, after `prepare-` where a claim is prepared. `publish-denied`, `attach-full` and `attach-lost` are
// errors that the CSI specification has for these calls, with `publish-late` its storage does not answer in time; with
// `one-volume` it says that its node takes one volume.
package main

import (
	"context"
	"flag"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	registration "k8s.io/kubelet/pkg/apis/pluginregistration/v1"
)

// driver is what a CSI and a DRA driver have in common.
type driver struct {
	name, node, socket, control string
}

// obey returns only once it is not told to hang, and an error where it is told to fail.
func (d *driver) obey(ctx context.Context, call string) error {
	for d.told(call + "hang") {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
	}
	if d.told(call + "fail") {
		return status.Error(codes.Internal, "backend of the driver says: operation refused")
	}
	return nil
}

// refuse returns this error where it is told to.
func (d *driver) refuse(what string, code codes.Code, says string) error {
	if !d.told(what) {
		return nil
	}
	return status.Error(code, says)
}

func (d *driver) told(what string) bool {
	_, err := os.Stat(filepath.Join(d.control, what))
	return err == nil
}

func main() {
	if filepath.Base(os.Args[0]) == "labnet" {
		plugin()
		return
	}
	if len(os.Args) < 2 {
		log.Fatal("usage: labcsi csi|dra -name NAME -node NODE")
	}
	if os.Args[1] == "sandbox" {
		sandbox(os.Args[2:])
		return
	}
	flags := flag.NewFlagSet(os.Args[1], flag.ExitOnError)
	name := flags.String("name", "csi.lab.local", "of the driver")
	node := flags.String("node", "", "its node")
	root := flags.String("kubelet-root", "/var/lib/kubelet", "of the node's kubelet")
	control := flags.String("control", "/run/unstuck-lab-csi", "directory of the files that make it fail")
	_ = flags.Parse(os.Args[2:])
	d := driver{name: *name, node: *node, control: *control, socket: filepath.Join(*root, "plugins", *name, os.Args[1]+".sock")}

	var services func(*grpc.Server)
	var info *registration.PluginInfo
	switch os.Args[1] {
	case "csi":
		services, info = csiServices(d)
	case "dra":
		services, info = draServices(d)
	default:
		log.Fatalf("neither csi nor dra: %s", os.Args[1])
	}
	registry := filepath.Join(*root, "plugins_registry", *name+"-reg.sock")
	if err := serve(d.socket, services); err != nil {
		log.Fatal(err)
	}
	if err := serve(registry, func(s *grpc.Server) { registration.RegisterRegistrationServer(s, &registrar{info: info}) }); err != nil {
		log.Fatal(err)
	}
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGTERM, syscall.SIGINT)
	<-ended
	_ = os.Remove(registry)
	_ = os.Remove(d.socket)
}
