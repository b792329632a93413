package simulation

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/imports/submit"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/postgres"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/testing/checker"
	"github.com/loadbay/loadbay/shared/testing/simulation/sequence"
)

// RepeatedUploads is the kind of sequences that upload a few files of orders again and again, and
// undo some of their imports. Its model is docs/orders.md: a batch has its file as long as its orders
// exist.
const RepeatedUploads = "uploads"

// Files of orders: each has a reference in common with the next one.
const (
	orderFiles     = 3
	ordersPerFile  = 3
	uploadSteps    = 9
	orderHeader    = "clientId,clientReference,senderName,senderAddress,senderContact,receiverName,receiverAddress,receiverCity,receiverPincode,itemCount,totalWeight,serviceType"
	orderLine      = "7,%s,Acme,1 Dock Road,0801234567,Bea Rao,2 Hill Street,Pune,411001,1,2.5,EXPRESS"
	orderTableText = `SELECT client_reference FROM orders WHERE organisation_id = $1`
)

// uploads is a sequence of uploads of orders.
type uploads struct {
	*importSequence
	batches []*uploadedBatch
	orders  map[string]bool // by reference
}

// uploadedBatch is a batch of an uploaded file.
type uploadedBatch struct {
	file    int
	object  submit.Object
	run     *importRun
	created []string // references
	undone  bool
}

// runUploads runs a seed of RepeatedUploads in its own organisation.
func (s *Simulator) runUploads(ctx context.Context, seed uint64) (*SequenceResult, error) {
	r := rand.New(rand.NewPCG(seed, 0x5e9))
	u := &uploads{&importSequence{Simulator: s, Rand: r, SequenceResult: SequenceResult{Kind: RepeatedUploads, Seed: seed}}, nil, make(map[string]bool)}
	if err := s.createOrganisation(ctx, nil); err != nil {
		return nil, err
	}
	for step := 0; step < uploadSteps && len(u.Differences) == 0; step++ {
		act := u.upload
		switch u.IntN(5) {
		case 0, 1:
			act = u.undoBatch
		case 2:
			act = u.repeatEvent
		}
		if err := act(ctx); err != nil {
			return nil, fmt.Errorf("%s %d: %w\n%s", RepeatedUploads, seed, err, strings.Join(u.Trace, "\n"))
		}
	}
	return &u.SequenceResult, nil
}

func orderFile(file int) (content string, references []string) {
	lines := []string{orderHeader}
	for n := range ordersPerFile {
		references = append(references, fmt.Sprintf("A-%d", file*(ordersPerFile-1)+n))
		lines = append(lines, fmt.Sprintf(orderLine, references[n]))
	}
	return strings.Join(lines, "\n") + "\n", references
}

// holder returns the batch that has a file: one that has created orders and was not undone.
func (u *uploads) holder(file int) *uploadedBatch {
	for _, b := range u.batches {
		if b.file == file && len(b.created) > 0 && !b.undone {
			return b
		}
	}
	return nil
}

// accept uploads a file as a version of an object.
func (u *uploads) accept(ctx context.Context, p *importRun, file int, object *submit.Object) (*submit.Accepted, error) {
	content, _ := orderFile(file)
	s, err := p.submitter()
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(content))
	return s.Accept(ctx, submit.Request{
		OrganisationID: u.organisation, RequestID: "uploads", Endpoint: "drop", Type: p.declaration(), OncePerFile: true, Unattended: true, Uploader: "drop",
		File:   submit.File{Name: "orders.csv", ContentType: "text/csv", Size: int64(len(content)), SHA256: hex.EncodeToString(sum[:])},
		Object: object,
	})
}

// upload uploads a file as a new version of its object.
func (u *uploads) upload(ctx context.Context) error {
	file := u.IntN(orderFiles)
	content, references := orderFile(file)
	b := &uploadedBatch{file: file, object: submit.Object{JobID: job.ID(uuid.NewString()), Key: fmt.Sprintf("drop/%d/ORDER/-/orders%d.csv", u.organisation, file)}}
	p, err := u.newRun(u.Rand, job.Ref{JobID: b.object.JobID, OrganisationID: u.organisation}, "ORDER", 1+u.IntN(3))
	if err != nil {
		return err
	}
	b.run, p.sourceKey = p, b.object.Key
	p.script.AutoStart = true
	p.plan.faults = u.IntN(sequenceFaults)
	if err := p.cloud.Put(ctx, p.sourceKey, "", []byte(content)); err != nil {
		return err
	}
	stored, err := p.cloud.Head(ctx, p.sourceKey)
	if err != nil {
		return err
	}
	b.object.ETag = stored.ETag
	holder := u.holder(file)
	if err := u.compareHolder(ctx, content, holder); err != nil {
		return err
	}
	accepted, err := u.accept(ctx, p, file, &b.object)
	u.Trace = append(u.Trace, fmt.Sprintf("file %d is uploaded: %v", file, err))
	switch code := problem.CodeOf(err); {
	case holder != nil && code == problem.FileRepeated:
		return nil
	case holder != nil:
		u.report("file %d was accepted, or refused for another reason, although a batch has it: %v", file, err)
		return nil
	case err != nil:
		u.report("file %d was refused although no batch has it: %v", file, err)
		return nil
	case accepted.Repeated || accepted.Job.ID != b.object.JobID:
		u.report("file %d did not make another import", file)
		return nil
	}
	u.Imports++
	want := &sequence.Expectation{Lines: []checker.Line{{Outcome: rowwrite.Header}}}
	for _, reference := range references {
		line := checker.Line{Outcome: rowwrite.Skipped, Codes: []string{"ALREADY_EXISTS"}}
		if !u.orders[reference] {
			line = checker.Line{Outcome: rowwrite.Created, Codes: []string{}}
			u.orders[reference], b.created = true, append(b.created, reference)
		}
		want.Lines = append(want.Lines, line)
	}
	u.batches = append(u.batches, b)
	p.run(ctx)
	return u.compare(ctx, p, want, u.tables())
}

// tables returns the orders.
func (u *uploads) tables() []checker.Table {
	want := []string{}
	for reference := range u.orders {
		want = append(want, reference)
	}
	return []checker.Table{{Name: "orders", SQL: orderTableText, Want: want}}
}

// compareHolder compares the batch that the database finds for a file.
func (u *uploads) compareHolder(ctx context.Context, content string, holder *uploadedBatch) error {
	sum := sha256.Sum256([]byte(content))
	var found []*job.Batch
	err := u.db.InOrganisation(ctx, u.organisation, func(tx pgx.Tx) (err error) {
		found, err = u.db.Batches(ctx, tx, postgres.BatchFilter{ImportType: "ORDER", SHA256: hex.EncodeToString(sum[:]), Page: job.Page{Limit: 10}})
		return err
	})
	switch {
	case err != nil:
		return err
	case holder == nil && len(found) > 0:
		u.report("batch %s still has its file", found[0].Number)
	case holder != nil && (len(found) != 1 || found[0].JobID != holder.object.JobID):
		u.report("%d batches have a file that one has created orders of", len(found))
	}
	return nil
}

// repeatEvent repeats the event of an earlier object version: its import is returned, and nothing is
// written.
func (u *uploads) repeatEvent(ctx context.Context) error {
	if len(u.batches) == 0 {
		return nil
	}
	b := u.batches[u.IntN(len(u.batches))]
	accepted, err := u.accept(ctx, b.run, b.file, &b.object)
	u.Trace = append(u.Trace, fmt.Sprintf("the event of an upload of file %d is repeated: %v", b.file, err))
	switch {
	case err != nil:
		u.report("a repeated event was refused: %v", err)
	case accepted.Job.ID != b.object.JobID:
		u.report("a repeated event made another import")
	case (accepted.Job.Undone != nil) != b.undone:
		u.report("the import of a repeated event is undone by %v, undone should be %t", accepted.Job.Undone, b.undone)
	}
	return u.compareTables(ctx, u.tables())
}

// undoBatch undoes the import of a batch.
func (u *uploads) undoBatch(ctx context.Context) error {
	if len(u.batches) == 0 {
		return nil
	}
	b := u.batches[u.IntN(len(u.batches))]
	if b.undone || len(b.created) == 0 {
		return nil
	}
	u.Trace = append(u.Trace, fmt.Sprintf("an import of file %d is undone", b.file))
	b.undone = true
	for _, reference := range b.created {
		delete(u.orders, reference)
	}
	if err := b.run.undoJob(ctx, b.object.JobID); err != nil {
		return err
	}
	u.Undos++
	u.Differences = append(u.Differences, b.run.differences...)
	return u.compareTables(ctx, u.tables())
}
