package conformance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/awsjson"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/dynamodb"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/s3"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sqs"
)

// Configuration of the endpoint of the kill tests.
const (
	killQueue      = "rows"
	killVisibility = 3 * time.Second
	killTable      = "coordination"
	killBucket     = "files"
	killPrefix     = "uploads/"
	eventsFile     = "events.log" // one line per event, with its key
)

// serveFolder is the program that the kill tests kill: an endpoint that stores its data in a
// folder. It writes its address to out and serves until it is killed.
func serveFolder(dir string, out io.Writer) error {
	db, err := awsendpoint.OpenDatabase(filepath.Join(dir, "aws.db"))
	if err != nil {
		return err
	}
	queues, err := sqs.New(db, []blueprint.Queue{{Name: killQueue, Visibility: killVisibility, Retention: time.Hour}})
	if err != nil {
		return err
	}
	tables, err := dynamodb.New(db, []blueprint.Table{{Name: killTable, PartitionKey: "pk", SortKey: "sk"}})
	if err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	objects, err := s3.New(context.Background(), s3.Config{
		Dir: filepath.Join(dir, "s3"), DB: db, Buckets: []string{killBucket}, Command: []string{program, s3Command},
		Prefixes: []string{killPrefix},
		Created: func(_ context.Context, event s3.ObjectCreated) error {
			return appendLine(filepath.Join(dir, eventsFile), event.Key)
		},
	})
	if err != nil {
		return err
	}
	handler, err := awsendpoint.Handler(awsendpoint.Config{Services: []awsjson.Service{queues, tables}, Objects: objects})
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(out, "http://"+listener.Addr().String()); err != nil {
		return err
	}
	return http.Serve(listener, handler)
}

func appendLine(path, line string) error {
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(file, line)
	return errors.Join(err, file.Close())
}
