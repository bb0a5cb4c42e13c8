// Package server answers requests.
package server

import "net/http"

// Limit is how many at once.
const Limit = 10

const (
	// StateIdle is the first.
	StateIdle = iota
	StateBusy
)

var (
	defaultName = "server"
)

var _ http.Handler = (*Server)(nil)

// Server answers.
type Server struct {
	name string
}

type (
	// Handler handles.
	Handler interface {
		Handle(path string) error
	}
	Names = []string
)

type Stack[T any] struct{ items []T }

// Start starts it.
func (s *Server) Start(port int) error {
	type local struct{}
	return nil
}

func (s *Stack[T]) Push(item T) { s.items = append(s.items, item) }

func New(name string) *Server { return &Server{name: name} }
