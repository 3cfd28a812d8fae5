// Command kubelab is a whole Kubernetes in one binary: every component is the
// unmodified upstream command, chosen by the first argument (or by the name the
// binary is called by, so that a symbolic link named "kubectl" is kubectl).
//
// One binary instead of six: the packages are shared, so it links once, which
// on two cores is the difference between five minutes and fifteen.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	kubectl "k8s.io/kubectl/pkg/cmd"
	kubectlutil "k8s.io/kubectl/pkg/cmd/util"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	kcm "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	kubeproxy "k8s.io/kubernetes/cmd/kube-proxy/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"

	// The authentication plugins of a real kubectl.
	_ "k8s.io/client-go/plugin/pkg/client/auth"
)

func command(name string) *cobra.Command {
	switch name {
	case "kube-apiserver":
		return apiserver.NewAPIServerCommand()
	case "kube-controller-manager":
		return kcm.NewControllerManagerCommand()
	case "kube-scheduler":
		return scheduler.NewSchedulerCommand()
	case "kubelet":
		return kubeletCommand()
	case "kube-proxy":
		return kubeproxy.NewProxyCommand()
	case "kubectl":
		return kubectl.NewDefaultKubectlCommand()
	}
	return nil
}

func main() {
	name := filepath.Base(os.Args[0])
	if command := command(name); command != nil {
		run(command, name)
	}
	if len(os.Args) > 1 {
		name = os.Args[1]
		os.Args = os.Args[1:]
	}
	if command := command(name); command != nil {
		run(command, name)
	}
	fmt.Fprintln(os.Stderr, "usage: kubelab kube-apiserver|kube-controller-manager|kube-scheduler|kubelet|kube-proxy|kubectl ...")
	os.Exit(2)
}

func run(command *cobra.Command, name string) {
	if name == "kubectl" {
		if err := cli.RunNoErrOutput(command); err != nil {
			// Same text and exit status as the upstream main of kubectl.
			kubectlutil.CheckErr(err)
		}
		os.Exit(0)
	}
	os.Exit(cli.Run(command))
}
