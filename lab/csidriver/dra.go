package main

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/grpc/status"
	dra "k8s.io/kubelet/pkg/apis/dra/v1"
	registration "k8s.io/kubelet/pkg/apis/pluginregistration/v1"
)

// draDriver prepares every claim without giving it a device of the node.
type draDriver struct {
	driver
}

func draServices(d driver) (func(*grpc.Server), *registration.PluginInfo) {
	services := func(s *grpc.Server) { dra.RegisterDRAPluginServer(s, &draDriver{driver: d}) }
	return services, &registration.PluginInfo{
		Type: registration.DRAPlugin, Name: d.name, Endpoint: d.socket, SupportedVersions: []string{dra.DRAPluginService},
	}
}

// Both calls fail for each claim by itself, as drivers do; only a driver that is broken as a whole fails the call.

func (d *draDriver) NodePrepareResources(ctx context.Context, r *dra.NodePrepareResourcesRequest) (*dra.NodePrepareResourcesResponse, error) {
	err := d.obey(ctx, "prepare-")
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	answer := &dra.NodePrepareResourcesResponse{Claims: map[string]*dra.NodePrepareResourceResponse{}}
	for _, claim := range r.Claims {
		answer.Claims[claim.UID] = &dra.NodePrepareResourceResponse{Error: said(err)}
	}
	return answer, nil
}

func (d *draDriver) NodeUnprepareResources(ctx context.Context, r *dra.NodeUnprepareResourcesRequest) (*dra.NodeUnprepareResourcesResponse, error) {
	err := d.obey(ctx, "")
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	answer := &dra.NodeUnprepareResourcesResponse{Claims: map[string]*dra.NodeUnprepareResourceResponse{}}
	for _, claim := range r.Claims {
		answer.Claims[claim.UID] = &dra.NodeUnprepareResourceResponse{Error: said(err)}
	}
	return answer, nil
}

// said is what an error says; nothing for none.
func said(err error) string {
	return status.Convert(err).Message()
}
