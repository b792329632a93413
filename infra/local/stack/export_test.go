package stack

import "github.com/loadbay/loadbay/infra/blueprint"

// Environment returns the variables that a function gets in addition to those of Lambda.
func (s *Stack) Environment(f blueprint.Function) (map[string]string, error) { return s.environment(f) }
