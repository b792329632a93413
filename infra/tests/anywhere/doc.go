// Package anywhere contains the end-to-end suite that runs against any AWS
// endpoint: imports and exports through the API, and the states that an
// execution has passed.
//
//	the local stack   always: the compiled program, started as a user starts it
//	moto              if moto_server is on the PATH (make test-moto): bucket,
//	                  queues and table are moto's, and for one import the state
//	                  machine too; the functions are hosted here
//	LocalStack        with Docker and LOCALSTACK_AUTH_TOKEN (make test-localstack):
//	                  everything is LocalStack's, functions and events included
//	AWS_ENDPOINT_URL  if set, that endpoint instead of all these: everything is
//	                  created there as for LocalStack. ANYWHERE_DATABASE_URL is an
//	                  administrator's URL of a Postgres that functions there can reach
//
// Endpoints other than the local stack's start empty and are provisioned from the
// blueprint.
package anywhere
