package main

import (
	"errors"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourceapi "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	kjson "sigs.k8s.io/json"
)

// Cluster is one line of input: a Pod to be placed and everything that the decision reads, as plain API objects.
type Cluster struct {
	ID          string                          `json:"id,omitempty"`
	Pod         *v1.Pod                         `json:"pod"`
	Nodes       []*v1.Node                      `json:"nodes,omitempty"`
	Pods        []*v1.Pod                       `json:"pods,omitempty"`
	Namespaces  []*v1.Namespace                 `json:"namespaces,omitempty"`
	Claims      []*v1.PersistentVolumeClaim     `json:"pvcs,omitempty"`
	Volumes     []*v1.PersistentVolume          `json:"pvs,omitempty"`
	Classes     []*storagev1.StorageClass       `json:"classes,omitempty"`
	CSINodes    []*storagev1.CSINode            `json:"csinodes,omitempty"`
	CSIDrivers  []*storagev1.CSIDriver          `json:"csidrivers,omitempty"`
	Capacities  []*storagev1.CSIStorageCapacity `json:"capacities,omitempty"`
	Attachments []*storagev1.VolumeAttachment   `json:"attachments,omitempty"`
	Budgets     []*policyv1.PodDisruptionBudget `json:"budgets,omitempty"`

	ResourceClaims []*resourceapi.ResourceClaim `json:"resourceclaims,omitempty"`
	ResourceSlices []*resourceapi.ResourceSlice `json:"resourceslices,omitempty"`
	DeviceClasses  []*resourceapi.DeviceClass   `json:"deviceclasses,omitempty"`
}

// decode reads a line. Fields that no API object has are an error: a misspelt one would test nothing.
func decode(line []byte) (*Cluster, error) {
	cluster := &Cluster{}
	unknown, err := kjson.UnmarshalStrict(line, cluster)
	if err != nil {
		return nil, fmt.Errorf("not a cluster: %w", err)
	}
	if len(unknown) > 0 {
		return nil, fmt.Errorf("not a cluster: %w", errors.Join(unknown...))
	}
	if cluster.Pod == nil {
		return nil, errors.New("not a cluster: no pod")
	}
	return cluster, nil
}

// seen is what kube-scheduler's own watch of Pods gives it: none that has ended.
func (c *Cluster) seen() []*v1.Pod {
	pods := []*v1.Pod{c.Pod}
	for _, pod := range c.Pods {
		if pod.Status.Phase != v1.PodSucceeded && pod.Status.Phase != v1.PodFailed {
			pods = append(pods, pod)
		}
	}
	return pods
}

// factory holds the cluster for every lister that a plugin may take.
func (c *Cluster) factory(client kubernetes.Interface) informers.SharedInformerFactory {
	factory := informers.NewSharedInformerFactory(client, 0)
	register(factory, &v1.Pod{}, c.seen())
	register(factory, &v1.Node{}, c.Nodes)
	register(factory, &v1.Namespace{}, c.Namespaces)
	register(factory, &v1.PersistentVolumeClaim{}, c.Claims)
	register(factory, &v1.PersistentVolume{}, c.Volumes)
	register(factory, &storagev1.StorageClass{}, c.Classes)
	register(factory, &storagev1.CSINode{}, c.CSINodes)
	register(factory, &storagev1.CSIDriver{}, c.CSIDrivers)
	register(factory, &storagev1.CSIStorageCapacity{}, c.Capacities)
	register(factory, &storagev1.VolumeAttachment{}, c.Attachments)
	register(factory, &policyv1.PodDisruptionBudget{}, c.Budgets)
	register(factory, &resourceapi.ResourceClaim{}, c.ResourceClaims)
	register(factory, &resourceapi.ResourceSlice{}, c.ResourceSlices)
	register(factory, &resourceapi.DeviceClass{}, c.DeviceClasses)
	// These are read for scores only, which no case asks for.
	register(factory, &v1.Service{}, nil)
	register(factory, &v1.ReplicationController{}, nil)
	register(factory, &appsv1.ReplicaSet{}, nil)
	register(factory, &appsv1.StatefulSet{}, nil)
	return factory
}
