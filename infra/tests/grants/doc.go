// Package grants tries that the functions' roles hold what they use, and nothing
// else: every permission of the blueprint is used by a suite or has a reason to be
// there all the same, and without one of those that are used something fails.
package grants
