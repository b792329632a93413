// Package signin says where an issuer sends people back to who have signed in: what the
// console and the command line wait at, and what is registered with the issuer.
//
// Tested by infra/cdk/stack and infra/tests/cli: what is registered, and who waits there.
package signin

import "fmt"

// Path is the path that an issuer sends people back to: below the console's origin, and of
// the command line's listener.
const Path = "/signed-in"

// CommandPorts are those of 127.0.0.1 at which the command line waits for people who sign
// in, the first that is free. They are fixed, because issuers such as Cognito compare
// redirects as a whole.
func CommandPorts() []int { return []int{49210, 49211, 49212} }

// CommandRedirect is the address of the command line's listener at a port.
func CommandRedirect(port int) string { return fmt.Sprintf("http://127.0.0.1:%d%s", port, Path) }

// CommandRedirects are those of all CommandPorts.
func CommandRedirects() []string {
	var all []string
	for _, port := range CommandPorts() {
		all = append(all, CommandRedirect(port))
	}
	return all
}
