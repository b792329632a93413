// Command api is the Lambda function that answers the HTTP API.
package main

import "github.com/loadbay/loadbay/shared/wire"

func main() { wire.Run(wire.API) }
