package main

import (
	"context"
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/events"
	"k8s.io/dynamic-resource-allocation/resourceslice/tracker"
	"k8s.io/klog/v2"
	configv1 "k8s.io/kube-scheduler/config/v1"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	"k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
	"k8s.io/kubernetes/pkg/scheduler/util/assumecache"
)

// Scheduler is what stays the same for every case: the default profile, and one profile for each of its filters alone.
type Scheduler struct {
	client  kubernetes.Interface
	metrics *metrics.MetricAsyncRecorder
	profile config.KubeSchedulerProfile
	alone   map[string]config.KubeSchedulerProfile
	// The filters in the order in which the default profile runs them.
	filters []string
}

// Cycle is one case, set up as kube-scheduler is when it takes the Pod from its queue.
type Cycle struct {
	framework framework.Framework
	alone     map[string]framework.Framework
	snapshot  *cache.Snapshot
}

func defaultProfile() (config.KubeSchedulerProfile, error) {
	var versioned configv1.KubeSchedulerConfiguration
	scheme.Scheme.Default(&versioned)
	var cfg config.KubeSchedulerConfiguration
	if err := scheme.Scheme.Convert(&versioned, &cfg, nil); err != nil {
		return config.KubeSchedulerProfile{}, err
	}
	return cfg.Profiles[0], nil
}

func newScheduler(ctx context.Context, client kubernetes.Interface) (*Scheduler, error) {
	metrics.Register()
	profile, err := defaultProfile()
	if err != nil {
		return nil, err
	}
	s := &Scheduler{
		client:  client,
		metrics: metrics.NewMetricsAsyncRecorder(1000, time.Second, ctx.Done()),
		profile: profile,
		alone:   map[string]config.KubeSchedulerProfile{},
	}
	// The expanded profile is known only to a framework that was built from it.
	empty := &Cluster{Pod: &v1.Pod{}}
	cycle, err := s.cycle(ctx, empty)
	if err != nil {
		return nil, err
	}
	expanded := cycle.framework.ListPlugins()
	prefilters := map[string]bool{}
	for _, plugin := range expanded.PreFilter.Enabled {
		prefilters[plugin.Name] = true
	}
	for _, plugin := range expanded.Filter.Enabled {
		s.filters = append(s.filters, plugin.Name)
		one := config.PluginSet{Enabled: []config.Plugin{{Name: plugin.Name}}}
		alone := &config.Plugins{
			QueueSort: config.PluginSet{Enabled: []config.Plugin{{Name: names.PrioritySort}}},
			Bind:      config.PluginSet{Enabled: []config.Plugin{{Name: names.DefaultBinder}}},
			Filter:    one,
		}
		if prefilters[plugin.Name] {
			alone.PreFilter = one
			delete(prefilters, plugin.Name)
		}
		s.alone[plugin.Name] = config.KubeSchedulerProfile{
			SchedulerName: profile.SchedulerName,
			Plugins:       alone,
			PluginConfig:  profile.PluginConfig,
		}
	}
	if len(prefilters) > 0 {
		return nil, fmt.Errorf("a PreFilter without a Filter would be left out: %v", prefilters)
	}
	return s, nil
}

// cycle puts a cluster before the scheduler. As scheduler.New does it, without watches.
func (s *Scheduler) cycle(ctx context.Context, cluster *Cluster) (*Cycle, error) {
	logger := klog.FromContext(ctx)
	factory := cluster.factory(s.client)
	snapshot, err := snapshotOf(ctx, cluster)
	if err != nil {
		return nil, err
	}
	dra, err := s.dynamicResources(ctx, factory)
	if err != nil {
		return nil, err
	}
	build := func(profile config.KubeSchedulerProfile) (framework.Framework, error) {
		return runtime.NewFramework(ctx, plugins.NewInTreeRegistry(), &profile,
			runtime.WithClientSet(s.client),
			runtime.WithInformerFactory(factory),
			runtime.WithSharedDRAManager(dra),
			runtime.WithSnapshotSharedLister(snapshot),
			runtime.WithParallelism(1),
			runtime.WithMetricsRecorder(s.metrics),
			runtime.WithWaitingPods(runtime.NewWaitingPodsMap()),
			runtime.WithEventRecorder(&events.FakeRecorder{}),
		)
	}
	whole, err := build(s.profile)
	if err != nil {
		return nil, err
	}
	cycle := &Cycle{framework: whole, snapshot: snapshot, alone: map[string]framework.Framework{}}
	for name, profile := range s.alone {
		if cycle.alone[name], err = build(profile); err != nil {
			return nil, err
		}
	}
	nominator := s.queueOf(logger, cluster, whole, factory)
	whole.SetPodNominator(nominator)
	whole.SetPodActivator(nominator)
	for _, one := range cycle.alone {
		one.SetPodNominator(nominator)
	}
	return cycle, nil
}

func snapshotOf(ctx context.Context, cluster *Cluster) (*cache.Snapshot, error) {
	logger := klog.FromContext(ctx)
	store := cache.New(ctx, 0, nil)
	for _, node := range cluster.Nodes {
		store.AddNode(logger, node)
	}
	for _, pod := range cluster.seen()[1:] {
		if pod.Spec.NodeName != "" {
			if err := store.AddPod(logger, pod); err != nil {
				return nil, err
			}
		}
	}
	snapshot := cache.NewEmptySnapshot()
	return snapshot, store.UpdateSnapshot(logger, snapshot)
}

func (s *Scheduler) dynamicResources(ctx context.Context, factory informers.SharedInformerFactory) (framework.SharedDRAManager, error) {
	if !utilfeature.DefaultFeatureGate.Enabled(features.DynamicResourceAllocation) {
		return nil, nil
	}
	resource := factory.Resource().V1()
	claims := assumecache.NewAssumeCache(klog.FromContext(ctx), resource.ResourceClaims().Informer(), "ResourceClaim", "", nil)
	slices, err := tracker.StartTracker(ctx, tracker.Options{
		EnableDeviceTaints:       false, // alpha in this version
		EnableConsumableCapacity: utilfeature.DefaultFeatureGate.Enabled(features.DRAConsumableCapacity),
		SliceInformer:            resource.ResourceSlices(),
		KubeClient:               s.client,
	})
	if err != nil {
		return nil, err
	}
	return dynamicresources.NewDRAManager(ctx, claims, slices, factory), nil
}

// queueOf holds the other Pods that wait for this scheduler: those of them that are nominated to a node count on it.
func (s *Scheduler) queueOf(logger klog.Logger, cluster *Cluster, f framework.Framework, factory informers.SharedInformerFactory) queue.SchedulingQueue {
	gates := map[string]framework.PreEnqueuePlugin{}
	for _, plugin := range f.PreEnqueuePlugins() {
		gates[plugin.Name()] = plugin
	}
	waiting := queue.NewSchedulingQueue(f.QueueSortFunc(), factory,
		queue.WithPodLister(factory.Core().V1().Pods().Lister()),
		queue.WithPreEnqueuePluginMap(map[string]map[string]framework.PreEnqueuePlugin{s.profile.SchedulerName: gates}),
		queue.WithMetricsRecorder(*s.metrics),
	)
	for _, pod := range cluster.seen()[1:] {
		if pod.Spec.NodeName == "" && pod.Spec.SchedulerName == s.profile.SchedulerName {
			waiting.Add(logger, pod)
		}
	}
	return waiting
}
