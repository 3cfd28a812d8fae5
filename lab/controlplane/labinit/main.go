// Command labinit is the small static program of the lab, used in three places:
//
//   - as the sandbox image ("pause"): it waits, and reaps what is left to it;
//   - as PID 1 of each node: the same, and ending it ends the whole node;
//   - "labinit forward LISTEN CONNECT NETNS": the API server's address on the
//     host's loopback. It listens where it was started, and connects from inside
//     the network namespace at the path NETNS, so that the host's own network
//     needs no link, no route and no rule.
//
// Further arguments are ignored: they make a node's PID 1 recognisable.
package main

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

func main() {
	if len(os.Args) == 5 && os.Args[1] == "forward" {
		if err := forward(os.Args[2], os.Args[3], os.Args[4]); err != nil {
			fmt.Fprintln(os.Stderr, "labinit forward:", err)
			os.Exit(1)
		}
		return
	}
	pause()
}

func pause() {
	// One thread is enough, and every Pod has one of these.
	runtime.GOMAXPROCS(1)
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, syscall.SIGCHLD, syscall.SIGTERM, syscall.SIGINT)
	for s := range signals {
		if s != syscall.SIGCHLD {
			os.Exit(0)
		}
		for {
			pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
			if err == syscall.EINTR {
				continue
			}
			if err != nil || pid <= 0 {
				break
			}
		}
	}
}

func forward(listen, connect, netns string) error {
	// The socket belongs to the namespace it is made in: this one first.
	listener, err := net.Listen("tcp", listen)
	if err != nil {
		return err
	}
	namespace, err := os.Open(netns)
	if err != nil {
		return err
	}
	// Namespaces are per thread: only this goroutine's thread moves, and all
	// outgoing sockets are made on it.
	runtime.LockOSThread()
	if err := unix.Setns(int(namespace.Fd()), unix.CLONE_NEWNET); err != nil {
		return fmt.Errorf("setns %s: %w", netns, err)
	}
	for {
		near, err := listener.Accept()
		if err != nil {
			return err
		}
		far, err := net.DialTimeout("tcp", connect, 5*time.Second)
		if err != nil {
			fmt.Fprintln(os.Stderr, "labinit forward:", err)
			near.Close()
			continue
		}
		go copyHalf(far.(*net.TCPConn), near.(*net.TCPConn))
		go copyHalf(near.(*net.TCPConn), far.(*net.TCPConn))
	}
}

// copyHalf passes one direction on, then the end of the stream: the other
// direction may still be open.
func copyHalf(to, from *net.TCPConn) {
	_, err := io.Copy(to, from)
	if err != nil {
		to.Close()
		from.Close()
		return
	}
	to.CloseWrite()
}
