// Command migrate is the Lambda function that brings the database's schema up to date.
package main

import "github.com/loadbay/loadbay/shared/wire"

func main() { wire.Run(wire.Migrate) }
