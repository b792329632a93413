// Package python tests the Python client: its wheel is built without a network, installed in a virtual
// environment of its own, and used with a running stack.
package python
