package main

import (
	"time"

	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// filled is an informer that has seen everything there is before anybody asks:
// its store is filled at once and every handler is called in the caller's own
// goroutine. So a case needs no watches, no waiting and leaves nothing behind.
type filled struct {
	// What is not overridden below is never called; a call would be a crash, not a silent nothing.
	cache.SharedIndexInformer
	store cache.Indexer
}

// register makes `objects` everything that the factory's informer for their type will ever hold.
// A factory keeps the first informer that it is given for a type.
func register[T apiruntime.Object](factory informers.SharedInformerFactory, example T, objects []T) {
	store := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	for _, object := range objects {
		_ = store.Add(object) // fails only for objects without metadata, which T cannot be
	}
	factory.InformerFor(example, func(kubernetes.Interface, time.Duration) cache.SharedIndexInformer {
		return &filled{store: store}
	})
}

type registration struct{}

func (registration) HasSynced() bool { return true }

func (f *filled) AddEventHandler(handler cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	for _, object := range f.store.List() {
		handler.OnAdd(object, true)
	}
	return registration{}, nil
}

func (f *filled) AddEventHandlerWithOptions(handler cache.ResourceEventHandler, _ cache.HandlerOptions) (cache.ResourceEventHandlerRegistration, error) {
	return f.AddEventHandler(handler)
}

func (f *filled) AddEventHandlerWithResyncPeriod(handler cache.ResourceEventHandler, _ time.Duration) (cache.ResourceEventHandlerRegistration, error) {
	return f.AddEventHandler(handler)
}

func (f *filled) RemoveEventHandler(cache.ResourceEventHandlerRegistration) error { return nil }
func (f *filled) AddIndexers(indexers cache.Indexers) error                       { return f.store.AddIndexers(indexers) }
func (f *filled) GetIndexer() cache.Indexer                                       { return f.store }
func (f *filled) GetStore() cache.Store                                           { return f.store }
func (f *filled) SetTransform(cache.TransformFunc) error                          { return nil }
func (f *filled) HasSynced() bool                                                 { return true }
func (f *filled) IsStopped() bool                                                 { return false }
