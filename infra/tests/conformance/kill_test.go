package conformance

import (
	"bufio"
	"context"
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// kills is how often each test kills the endpoint.
const kills = 4

// endpointProcess is an endpoint in a separate process, which is killed and restarted
// on the same folder.
type endpointProcess struct {
	t       *testing.T
	dir     string
	process *exec.Cmd
	url     atomic.Pointer[string]
}

func startProcess(t *testing.T) *endpointProcess {
	t.Helper()
	skipUnlessLocal(t)
	stacktest.SkipShort(t)
	v := &endpointProcess{t: t, dir: t.TempDir()}
	v.start()
	t.Cleanup(v.kill)
	return v
}

func (v *endpointProcess) start() {
	v.t.Helper()
	program, err := os.Executable()
	require.NoError(v.t, err)
	v.process = exec.Command(program, endpointCommand, v.dir)
	v.process.Stderr = os.Stderr
	out, err := v.process.StdoutPipe()
	require.NoError(v.t, err)
	require.NoError(v.t, v.process.Start())
	url, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(v.t, err, "the endpoint did not start")
	v.url.Store(aws.String(strings.TrimSpace(url)))
}

// kill sends SIGKILL: the process cannot react.
func (v *endpointProcess) kill() {
	_ = v.process.Process.Kill() // fails only if the process has already ended
	_ = v.process.Wait()         // reports the kill
}

// killRepeatedly kills the endpoint at moments that depend on progress, not on time: each
// time after another count operations have been acknowledged.
func (v *endpointProcess) killRepeatedly(acknowledged *atomic.Int64, count int64) {
	for range kills {
		until := acknowledged.Load() + count/2 + rand.Int64N(count)
		require.Eventually(v.t, func() bool { return acknowledged.Load() >= until }, waitTimeout, time.Millisecond)
		v.kill()
		v.start()
	}
}

func (v *endpointProcess) sqs() *sqs.Client { return sqs.NewFromConfig(clientConfig(*v.url.Load())) }
func (v *endpointProcess) tables() *dynamodb.Client {
	return dynamodb.NewFromConfig(clientConfig(*v.url.Load()))
}
func (v *endpointProcess) objects() *s3.Client {
	return s3.NewFromConfig(clientConfig(*v.url.Load()), pathStyle)
}

// nameSet is a concurrent set of names.
type nameSet struct {
	mu    sync.Mutex
	names map[string]bool
}

func (s *nameSet) add(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.names == nil {
		s.names = make(map[string]bool)
	}
	s.names[name] = true
}

// Messages with an acknowledged send are delivered, messages with an acknowledged
// delete do not reappear, and messages in flight become visible again.
func TestQueuesSurviveKill(t *testing.T) {
	t.Parallel()
	v := startProcess(t)
	var sent, deleted, unsure nameSet // unsure: the response to the delete was lost
	var acknowledged atomic.Int64
	working, stop := context.WithCancel(t.Context())
	var work sync.WaitGroup
	work.Go(func() {
		for i := 0; working.Err() == nil; i++ {
			body := fmt.Sprint("message ", i)
			if _, err := v.sqs().SendMessage(working, &sqs.SendMessageInput{QueueUrl: aws.String(killQueue), MessageBody: &body}); err == nil {
				sent.add(body)
				acknowledged.Add(1)
			}
		}
	})
	work.Go(func() {
		for working.Err() == nil {
			for _, m := range receiveMessages(working, v.sqs(), 0) {
				if deleted.names[m.body] {
					t.Errorf("%s was received again after its deletion", m.body)
				}
				if m.number%3 == 0 {
					continue // stays in flight
				}
				if m.delete(working) != nil {
					unsure.add(m.body)
					continue
				}
				deleted.add(m.body)
				acknowledged.Add(1)
			}
		}
	})
	v.killRepeatedly(&acknowledged, 200)
	stop()
	work.Wait()

	// The remaining messages become visible when their visibility timeout ends.
	for {
		messages := receiveMessages(t.Context(), v.sqs(), 2*killVisibility)
		if len(messages) == 0 {
			break
		}
		for _, m := range messages {
			require.False(t, deleted.names[m.body], "%s was received again after its deletion", m.body)
			require.NoError(t, m.delete(t.Context()))
			deleted.add(m.body)
		}
	}
	for body := range sent.names {
		require.True(t, deleted.names[body] || unsure.names[body], "%s is lost", body)
	}
}

// message is a received message.
type message struct {
	body   string
	number int
	delete func(context.Context) error
}

func receiveMessages(ctx context.Context, client *sqs.Client, wait time.Duration) []message {
	out, err := client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{QueueUrl: aws.String(killQueue), MaxNumberOfMessages: 10, WaitTimeSeconds: int32(wait.Seconds())})
	if err != nil {
		return nil // the endpoint is down at the moment
	}
	messages := make([]message, len(out.Messages))
	for i, m := range out.Messages {
		messages[i] = message{body: *m.Body, delete: func(ctx context.Context) error {
			_, err := client.DeleteMessage(ctx, &sqs.DeleteMessageInput{QueueUrl: aws.String(killQueue), ReceiptHandle: m.ReceiptHandle})
			return err
		}}
		_, _ = fmt.Sscanf(*m.Body, "message %d", &messages[i].number)
	}
	return messages
}

// A counter contains every acknowledged increment, and at most one more for each
// increment that was not acknowledged.
func TestTableSurvivesKill(t *testing.T) {
	t.Parallel()
	v := startProcess(t)
	var acknowledged, failed atomic.Int64
	working, stop := context.WithCancel(t.Context())
	var work sync.WaitGroup
	for range 2 {
		work.Go(func() {
			for working.Err() == nil {
				_, err := v.tables().UpdateItem(working, &dynamodb.UpdateItemInput{
					TableName: aws.String(killTable), Key: itemKey("p", "s"), UpdateExpression: aws.String("SET n = if_not_exists(n, :zero) + :one"),
					ExpressionAttributeValues: item{":one": &number{Value: "1"}, ":zero": &number{Value: "0"}},
				})
				if err != nil {
					failed.Add(1)
					continue
				}
				acknowledged.Add(1)
			}
		})
	}
	v.killRepeatedly(&acknowledged, 200)
	stop()
	work.Wait()

	tab := &table{Client: v.tables(), name: killTable}
	var count int64
	_, err := fmt.Sscan(tab.get(t, "p", "s")["n"].(*number).Value, &count)
	require.NoError(t, err)
	require.GreaterOrEqual(t, count, acknowledged.Load())
	require.LessOrEqual(t, count, acknowledged.Load()+failed.Load())
}

// Objects are complete or absent; objects with an acknowledged upload exist,
// and every existing object has been announced.
func TestObjectsSurviveKill(t *testing.T) {
	t.Parallel()
	v := startProcess(t)
	var stored nameSet
	var acknowledged atomic.Int64
	working, stop := context.WithCancel(t.Context())
	var work sync.WaitGroup
	for writer := range 2 {
		work.Go(func() {
			for i := 0; working.Err() == nil; i++ {
				key := fmt.Sprintf("%s%d-%d", killPrefix, writer, i)
				_, err := v.objects().PutObject(working, &s3.PutObjectInput{Bucket: aws.String(killBucket), Key: &key, Body: strings.NewReader(messageBody(key))})
				if err == nil {
					stored.add(key)
					acknowledged.Add(1)
				}
			}
		})
	}
	v.killRepeatedly(&acknowledged, 20)
	stop()
	work.Wait()

	b := &bucket{Client: v.objects(), name: killBucket}
	there := b.digests(t)
	for key := range stored.names {
		require.Contains(t, there, key, "an acknowledged object is lost")
	}
	for key, digest := range there {
		sum := md5.Sum([]byte(messageBody(key)))
		require.Equal(t, hex.EncodeToString(sum[:]), digest, "an object is incomplete")
	}
	require.Eventually(t, func() bool {
		announced := v.announcedKeys()
		for key := range there {
			if !announced[key] {
				return false
			}
		}
		return true
	}, waitTimeout, 50*time.Millisecond, "an object without an event")
}

func messageBody(key string) string { return strings.Repeat(key+"\n", 20_000) }

// digests returns the MD5 of every object's content.
func (b *bucket) digests(t *testing.T) map[string]string {
	t.Helper()
	digests := make(map[string]string)
	pages := s3.NewListObjectsV2Paginator(b, &s3.ListObjectsV2Input{Bucket: &b.name})
	for pages.HasMorePages() {
		page, err := pages.NextPage(t.Context())
		require.NoError(t, err)
		for _, object := range page.Contents {
			out, err := b.GetObject(t.Context(), &s3.GetObjectInput{Bucket: &b.name, Key: object.Key})
			require.NoError(t, err)
			sum := md5.New()
			_, err = io.Copy(sum, out.Body)
			require.NoError(t, err)
			require.NoError(t, out.Body.Close())
			digests[*object.Key] = hex.EncodeToString(sum.Sum(nil))
		}
	}
	return digests
}

// announcedKeys reads the keys of all events so far.
func (v *endpointProcess) announcedKeys() map[string]bool {
	raw, err := os.ReadFile(filepath.Join(v.dir, eventsFile))
	if err != nil {
		return nil
	}
	keys := make(map[string]bool)
	for line := range strings.Lines(string(raw)) {
		keys[strings.TrimSpace(line)] = true
	}
	return keys
}
