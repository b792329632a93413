// Package signin defines the redirect addresses after a sign-in: where the console and the
// command line listen, and which addresses are registered with the issuer.
//
// Tested by infra/cdk/stack and infra/tests/cli: the registered addresses and their listeners.
package signin

import "fmt"

// Path is the path that an issuer redirects to, on the console's origin and on the command
// line's listener.
const Path = "/signed-in"

// CommandPorts returns the ports on 127.0.0.1 for the command line's sign-in listener, which
// uses the first free one. They are fixed because issuers such as Cognito compare whole redirect
// addresses.
func CommandPorts() []int { return []int{49210, 49211, 49212} }

// CommandRedirect returns the address of the command line's listener on a port.
func CommandRedirect(port int) string { return fmt.Sprintf("http://127.0.0.1:%d%s", port, Path) }

// CommandRedirects returns the addresses for all CommandPorts.
func CommandRedirects() []string {
	var all []string
	for _, port := range CommandPorts() {
		all = append(all, CommandRedirect(port))
	}
	return all
}
