package main

import (
	"context"
	"flag"
	"log"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// sandbox makes the first sandbox of a Pod without the kubelet's labels: it has the name, and the kubelet does not find it.
func sandbox(args []string) {
	flags := flag.NewFlagSet("sandbox", flag.ExitOnError)
	name := flags.String("name", "", "of the Pod")
	namespace := flags.String("namespace", "", "of the Pod")
	uid := flags.String("uid", "", "of the Pod")
	runtime := flags.String("runtime", "unix:///run/containerd/containerd.sock", "its socket")
	_ = flags.Parse(args)
	connection, err := grpc.NewClient(*runtime, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		log.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	_, err = cri.NewRuntimeServiceClient(connection).RunPodSandbox(ctx, &cri.RunPodSandboxRequest{Config: &cri.PodSandboxConfig{
		Metadata: &cri.PodSandboxMetadata{Name: *name, Namespace: *namespace, Uid: *uid},
		Linux:    &cri.LinuxPodSandboxConfig{},
	}})
	if err != nil {
		log.Fatal(err)
	}
}
