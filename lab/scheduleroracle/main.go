// Command scheduleroracle says what kube-scheduler would say: it reads clusters,
// one JSON document a line, runs the scheduler framework's own PreFilter and
// Filter plugins of the default profile on each, and writes one verdict a line,
// per node and plugin: every plugin on every node, not only the first refusal.
//
// Nothing of the scheduler is rewritten here but the twenty lines that lead
// from one extension point to the next (verdict.go, `all`).
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/klog/v2"
)

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "scheduleroracle:", err)
		os.Exit(1)
	}
}

func run(input io.Reader, output io.Writer) error {
	// What plugins log of a case (a claim that is not there) is the verdict's to say.
	klog.SetLogger(klog.Logger{})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	scheduler, err := newScheduler(ctx, fake.NewSimpleClientset())
	if err != nil {
		return err
	}
	lines := bufio.NewReaderSize(input, 1<<20)
	writer := bufio.NewWriter(output)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 1 {
			answer, err := json.Marshal(answer(ctx, scheduler, line))
			if err != nil {
				return err
			}
			if _, err := writer.Write(append(answer, '\n')); err != nil {
				return err
			}
			// Who asks one case after the other waits for each.
			if err := writer.Flush(); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// answer never fails: a case that cannot be judged says so, and the next one is read.
func answer(ctx context.Context, scheduler *Scheduler, line []byte) (verdict *Verdict) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cluster, err := decode(line)
	if err != nil {
		return &Verdict{Error: err.Error()}
	}
	defer func() {
		if crash := recover(); crash != nil {
			verdict = &Verdict{ID: cluster.ID, Error: fmt.Sprintf("panic: %v", crash)}
		}
	}()
	verdict, err = scheduler.judge(ctx, cluster)
	if err != nil {
		return &Verdict{ID: cluster.ID, Error: err.Error()}
	}
	return verdict
}
