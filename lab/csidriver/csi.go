package main

import (
	"context"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	registration "k8s.io/kubelet/pkg/apis/pluginregistration/v1"
)

// patience is how long it gives its storage where that does not answer.
const patience = 3 * time.Second

// csiDriver serves container-storage-interface spec 1.9: identity, node, and of the controller what attaches and detaches.
type csiDriver struct {
	csi.UnimplementedIdentityServer
	csi.UnimplementedControllerServer
	csi.UnimplementedNodeServer
	driver
	lock     sync.Mutex
	attached map[string]string // volume to node
}

func csiServices(d driver) (func(*grpc.Server), *registration.PluginInfo) {
	server := &csiDriver{driver: d, attached: map[string]string{}}
	services := func(s *grpc.Server) {
		csi.RegisterIdentityServer(s, server)
		csi.RegisterControllerServer(s, server)
		csi.RegisterNodeServer(s, server)
	}
	return services, &registration.PluginInfo{
		Type: registration.CSIPlugin, Name: d.name, Endpoint: d.socket, SupportedVersions: []string{"1.0.0"},
	}
}

func (d *csiDriver) GetPluginInfo(context.Context, *csi.GetPluginInfoRequest) (*csi.GetPluginInfoResponse, error) {
	return &csi.GetPluginInfoResponse{Name: d.name, VendorVersion: "1"}, nil
}

func (d *csiDriver) GetPluginCapabilities(context.Context, *csi.GetPluginCapabilitiesRequest) (*csi.GetPluginCapabilitiesResponse, error) {
	service := &csi.PluginCapability_Service{Type: csi.PluginCapability_Service_CONTROLLER_SERVICE}
	return &csi.GetPluginCapabilitiesResponse{
		Capabilities: []*csi.PluginCapability{{Type: &csi.PluginCapability_Service_{Service: service}}},
	}, nil
}

func (d *csiDriver) Probe(context.Context, *csi.ProbeRequest) (*csi.ProbeResponse, error) {
	return &csi.ProbeResponse{}, nil
}

// --- attaching: for csi-attacher -------------------------------------------------------------------------------------

func (d *csiDriver) ControllerGetCapabilities(context.Context, *csi.ControllerGetCapabilitiesRequest) (*csi.ControllerGetCapabilitiesResponse, error) {
	rpc := &csi.ControllerServiceCapability_RPC{Type: csi.ControllerServiceCapability_RPC_PUBLISH_UNPUBLISH_VOLUME}
	return &csi.ControllerGetCapabilitiesResponse{
		Capabilities: []*csi.ControllerServiceCapability{{Type: &csi.ControllerServiceCapability_Rpc{Rpc: rpc}}},
	}, nil
}

// ControllerPublishVolume gives a volume to one node at a time.
func (d *csiDriver) ControllerPublishVolume(_ context.Context, r *csi.ControllerPublishVolumeRequest) (*csi.ControllerPublishVolumeResponse, error) {
	if err := d.refuse("attach-full", codes.ResourceExhausted, "no further volume can be attached to "+r.NodeId); err != nil {
		return nil, err
	}
	if err := d.refuse("attach-lost", codes.NotFound, "volume "+r.VolumeId+" does not exist"); err != nil {
		return nil, err
	}
	d.lock.Lock()
	defer d.lock.Unlock()
	if has := d.attached[r.VolumeId]; has != "" && has != r.NodeId {
		return nil, status.Errorf(codes.FailedPrecondition, "volume %s is attached to node %s", r.VolumeId, has)
	}
	d.attached[r.VolumeId] = r.NodeId
	return &csi.ControllerPublishVolumeResponse{}, nil
}

func (d *csiDriver) ControllerUnpublishVolume(ctx context.Context, r *csi.ControllerUnpublishVolumeRequest) (*csi.ControllerUnpublishVolumeResponse, error) {
	d.lock.Lock()
	elsewhere := d.attached[r.VolumeId] != r.NodeId
	d.lock.Unlock()
	if elsewhere {
		return &csi.ControllerUnpublishVolumeResponse{}, nil
	}
	if err := d.obey(ctx, "detach-"); err != nil {
		return nil, err
	}
	d.lock.Lock()
	defer d.lock.Unlock()
	delete(d.attached, r.VolumeId)
	return &csi.ControllerUnpublishVolumeResponse{}, nil
}

// --- mounting: for the kubelet ---------------------------------------------------------------------------------------

func (d *csiDriver) NodeGetInfo(context.Context, *csi.NodeGetInfoRequest) (*csi.NodeGetInfoResponse, error) {
	info := &csi.NodeGetInfoResponse{NodeId: d.node}
	if d.told("one-volume") {
		info.MaxVolumesPerNode = 1
	}
	return info, nil
}

func (d *csiDriver) NodeGetCapabilities(context.Context, *csi.NodeGetCapabilitiesRequest) (*csi.NodeGetCapabilitiesResponse, error) {
	return &csi.NodeGetCapabilitiesResponse{}, nil
}

func (d *csiDriver) NodePublishVolume(ctx context.Context, r *csi.NodePublishVolumeRequest) (*csi.NodePublishVolumeResponse, error) {
	if err := d.obey(ctx, "publish-"); err != nil {
		return nil, err
	}
	if d.told("publish-late") {
		time.Sleep(patience)
		return nil, status.Error(codes.DeadlineExceeded, context.DeadlineExceeded.Error())
	}
	if err := d.refuse("publish-denied", codes.PermissionDenied, "the storage does not let this account mount the volume"); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(r.TargetPath, 0o750); err != nil {
		return nil, status.Error(codes.Internal, err.Error())
	}
	if err := syscall.Mount("lab", r.TargetPath, "tmpfs", 0, "size=1m"); err != nil {
		return nil, status.Error(codes.Internal, err.Error())
	}
	return &csi.NodePublishVolumeResponse{}, nil
}

func (d *csiDriver) NodeUnpublishVolume(ctx context.Context, r *csi.NodeUnpublishVolumeRequest) (*csi.NodeUnpublishVolumeResponse, error) {
	if err := d.obey(ctx, ""); err != nil {
		return nil, err
	}
	if err := syscall.Unmount(r.TargetPath, 0); err != nil && err != syscall.EINVAL && err != syscall.ENOENT {
		return nil, status.Error(codes.Internal, err.Error())
	}
	if err := os.Remove(r.TargetPath); err != nil && !os.IsNotExist(err) {
		return nil, status.Error(codes.Internal, err.Error())
	}
	return &csi.NodeUnpublishVolumeResponse{}, nil
}
