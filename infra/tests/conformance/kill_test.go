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

// endpointProcess is an endpoint in a process of its own, which is killed and started
// again on the same folder.
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

// kill is kill -9: the process has no chance to do anything.
func (v *endpointProcess) kill() {
	_ = v.process.Process.Kill() // fails if it has ended, and then there is nothing to do
	_ = v.process.Wait()         // reports the kill
}

// killRepeatedly kills the endpoint at moments chosen by work done, not by time: each
// time when another count operations have been acknowledged.
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

// nameSet is a set of names that several goroutines add to.
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

// Messages whose sending was acknowledged are delivered, those whose deletion
// was acknowledged are not seen again, and those in flight come back.
func TestQueuesSurviveKill(t *testing.T) {
	t.Parallel()
	v := startProcess(t)
	var sent, deleted, unsure nameSet // unsure: the response to its deletion was lost
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
					t.Errorf("%s was deleted, and came again", m.body)
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

	// What is left comes back when its visibility ends.
	for {
		messages := receiveMessages(t.Context(), v.sqs(), 2*killVisibility)
		if len(messages) == 0 {
			break
		}
		for _, m := range messages {
			require.False(t, deleted.names[m.body], "%s was deleted, and came again", m.body)
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
		return nil // the endpoint is dead just now
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

// A counter has every increment that was acknowledged, and at most one more for
// each that was not.
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

// Objects are whole or absent; those whose upload was acknowledged are there,
// and every object that is there has been announced.
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
		require.Contains(t, there, key, "acknowledged, and lost")
	}
	for key, digest := range there {
		sum := md5.Sum([]byte(messageBody(key)))
		require.Equal(t, hex.EncodeToString(sum[:]), digest, "half an object")
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

// announcedKeys reads the keys of the events so far.
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
