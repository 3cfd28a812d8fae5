package main

import (
	"context"
	"fmt"
	"sort"

	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// Status is what a plugin said. A success is left out wherever a map holds these.
type Status struct {
	Code    string   `json:"code"`
	Reasons []string `json:"reasons"`
	// Which plugin said it, where the map's key does not tell.
	Plugin string `json:"plugin,omitempty"`
}

// Verdict is one line of output.
type Verdict struct {
	ID string `json:"id,omitempty"`
	// What keeps the Pod out of the queue, by plugin. The cycle is tried all the same.
	PreEnqueue map[string]Status `json:"preenqueue"`
	// Rejections and errors of each PreFilter, tried alone.
	PreFilter map[string]Status `json:"prefilter"`
	// The nodes to which a PreFilter, tried alone, narrows the choice.
	Only map[string][]string `json:"only"`
	// For each node, each filter that refuses it, tried alone. A filter whose PreFilter rejected is not tried.
	Filter map[string]map[string]Status `json:"filter"`

	// The cycle of the default profile.
	Fits  []string          `json:"fits"`
	Nodes map[string]Status `json:"nodes"`
	// Without PostFilter's text, which stands apart; Condition has both, as the Pod's condition would.
	Message    string  `json:"message,omitempty"`
	Condition  string  `json:"condition,omitempty"`
	PostFilter *Status `json:"postfilter,omitempty"`
	// The node that preemption chose.
	Nominated string `json:"nominated,omitempty"`
	// Why there was no verdict: the input is no cluster, or a plugin failed (SchedulerError).
	Error string `json:"error,omitempty"`
}

func statusOf(status *fwk.Status) Status {
	reasons := status.Reasons()
	if status.Code() == fwk.Error && status.AsError() != nil {
		reasons = []string{status.AsError().Error()}
	}
	return Status{Code: status.Code().String(), Reasons: reasons, Plugin: status.Plugin()}
}

func (s *Scheduler) judge(ctx context.Context, cluster *Cluster) (*Verdict, error) {
	cycle, err := s.cycle(ctx, cluster)
	if err != nil {
		return nil, err
	}
	verdict := &Verdict{
		ID:         cluster.ID,
		PreEnqueue: map[string]Status{},
		PreFilter:  map[string]Status{},
		Only:       map[string][]string{},
		Filter:     map[string]map[string]Status{},
		Fits:       []string{},
		Nodes:      map[string]Status{},
	}
	for _, plugin := range cycle.framework.PreEnqueuePlugins() {
		if status := plugin.PreEnqueue(ctx, cluster.Pod); !status.IsSuccess() {
			verdict.PreEnqueue[plugin.Name()] = statusOf(status)
		}
	}
	nodes, err := cycle.snapshot.NodeInfos().List()
	if err != nil {
		return nil, err
	}
	for _, name := range s.filters {
		cycle.each(ctx, name, cluster, nodes, verdict)
	}
	cycle.all(ctx, cluster, nodes, verdict)
	return verdict, nil
}

// each tries one filter on every node.
func (c *Cycle) each(ctx context.Context, name string, cluster *Cluster, nodes []fwk.NodeInfo, verdict *Verdict) {
	f := c.alone[name]
	state := framework.NewCycleState()
	// Adding up amounts such as 0.3Ki changes them in the Pod itself (resource.Quantity.Add), so each look gets a copy.
	pod := cluster.Pod.DeepCopy()
	only, status, _ := f.RunPreFilterPlugins(ctx, state, pod)
	if !only.AllNodes() {
		verdict.Only[name] = sets.List(only.NodeNames)
	}
	if !status.IsSuccess() {
		verdict.PreFilter[name] = statusOf(status)
		return
	}
	for _, node := range nodes {
		status := f.RunFilterPluginsWithNominatedPods(ctx, state, pod, node)
		if status.IsSuccess() {
			continue
		}
		at := node.Node().Name
		if verdict.Filter[at] == nil {
			verdict.Filter[at] = map[string]Status{}
		}
		verdict.Filter[at][name] = statusOf(status)
	}
}

// all goes through the cycle as Scheduler.schedulePod and its caller do, which cannot be called without a running scheduler.
func (c *Cycle) all(ctx context.Context, cluster *Cluster, nodes []fwk.NodeInfo, verdict *Verdict) {
	if len(nodes) == 0 {
		verdict.Error = "no nodes available to schedule pods"
		return
	}
	pod := cluster.Pod.DeepCopy()
	diagnosis := framework.Diagnosis{NodeToStatus: framework.NewDefaultNodeToStatus()}
	refuse := func(node fwk.NodeInfo, status *fwk.Status) {
		diagnosis.NodeToStatus.Set(node.Node().Name, status)
		verdict.Nodes[node.Node().Name] = statusOf(status)
	}
	state := framework.NewCycleState()
	only, status, narrowing := c.framework.RunPreFilterPlugins(ctx, state, pod)
	switch {
	case !status.IsSuccess() && !status.IsRejected():
		verdict.Error = status.AsError().Error()
		return
	case !status.IsSuccess():
		diagnosis.NodeToStatus.SetAbsentNodesStatus(status)
		diagnosis.PreFilterMsg = status.Message()
	default:
		if node, err := c.snapshot.Get(pod.Status.NominatedNodeName); err == nil {
			// Tried first and alone; that a plugin fails on it is only logged.
			status := c.framework.RunFilterPluginsWithNominatedPods(ctx, state, pod, node)
			if status.IsSuccess() {
				verdict.Fits = append(verdict.Fits, node.Node().Name)
				return
			}
			if status.IsRejected() {
				refuse(node, status)
			}
		}
		if !only.AllNodes() {
			nodes = c.named(only.NodeNames)
			diagnosis.NodeToStatus.SetAbsentNodesStatus(fwk.NewStatus(fwk.UnschedulableAndUnresolvable,
				fmt.Sprintf("node(s) didn't satisfy plugin(s) %v", sets.List(narrowing))))
		}
		for _, node := range nodes {
			status := c.framework.RunFilterPluginsWithNominatedPods(ctx, state, pod, node)
			switch {
			case status.Code() == fwk.Error:
				verdict.Error = status.AsError().Error()
				return
			case status.IsSuccess():
				verdict.Fits = append(verdict.Fits, node.Node().Name)
			default:
				refuse(node, status)
			}
		}
	}
	sort.Strings(verdict.Fits)
	if len(verdict.Fits) > 0 {
		return
	}
	fit := &framework.FitError{Pod: pod, NumAllNodes: c.snapshot.NumNodes(), Diagnosis: diagnosis}
	verdict.Message = fit.Error()
	result, status := c.framework.RunPostFilterPlugins(ctx, state, pod, diagnosis.NodeToStatus)
	fit.Diagnosis.PostFilterMsg = status.Message()
	verdict.Condition = fit.Error()
	after := statusOf(status)
	verdict.PostFilter = &after
	if result != nil && result.NominatingInfo != nil {
		verdict.Nominated = result.NominatedNodeName
	}
}

// named are the nodes of those names that exist: a PreFilter may name others.
func (c *Cycle) named(wanted sets.Set[string]) []fwk.NodeInfo {
	var nodes []fwk.NodeInfo
	for _, name := range sets.List(wanted) {
		if node, err := c.snapshot.Get(name); err == nil {
			nodes = append(nodes, node)
		}
	}
	return nodes
}
