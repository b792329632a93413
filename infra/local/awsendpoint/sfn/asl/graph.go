package asl

import (
	"maps"
	"slices"
)

// edge is a transition from one state to another, and the field that defines it.
type edge struct{ field, target string }

func (s *State) edges() []edge {
	var edges []edge
	if s.Next != "" {
		edges = append(edges, edge{"Next", s.Next})
	}
	switch a := s.Action.(type) {
	case *Task:
		for _, c := range a.Catch {
			edges = append(edges, edge{"Catch", c.Next})
		}
	case *Choice:
		for _, b := range a.Rules {
			edges = append(edges, edge{"Choices", b.Next})
		}
		if a.Default != "" {
			edges = append(edges, edge{"Default", a.Default})
		}
	}
	return edges
}

// terminal reports whether an execution may end here.
func (s *State) terminal() bool {
	switch s.Action.(type) {
	case *Succeed, *Fail:
		return true
	case *Choice:
		return false
	}
	return s.Next == ""
}

// checkGraph finds transitions to missing states, unreachable states, and machines that cannot
// end.
func (m *Machine) checkGraph(f *schemaErrors) {
	if m.States[m.StartAt] == nil {
		f.add(targetErrorCode, "/StartAt", "Missing 'StartAt' target: %s", m.StartAt)
	}
	reached := map[string]bool{}
	m.follow(m.StartAt, reached)
	ends := false
	for _, name := range slices.Sorted(maps.Keys(m.States)) {
		for _, e := range m.States[name].edges() {
			if m.States[e.target] == nil {
				f.add(targetErrorCode, "/States/"+name+"/"+e.field, "Missing 'Next' target: %s", e.target)
			}
		}
		if !reached[name] {
			f.add(targetErrorCode, "/States/"+name, "State %q is not reachable.", name)
		}
		ends = ends || (reached[name] && m.States[name].terminal())
	}
	if !ends {
		f.add("NO_TERMINAL_STATE", "/States", "No state that ends the execution is reachable")
	}
}

func (m *Machine) follow(name string, reached map[string]bool) {
	if m.States[name] == nil || reached[name] {
		return
	}
	reached[name] = true
	for _, e := range m.States[name].edges() {
		m.follow(e.target, reached)
	}
}
