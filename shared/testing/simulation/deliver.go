package simulation

import (
	"context"
	"fmt"
)

// maxReceives is the number of deliveries after which the rows queue moves a message to the dead
// letters.
const maxReceives = 5

// addDeliveries adds the possible deliveries.
func (p *importRun) addDeliveries(ctx context.Context, add func(int, func(context.Context))) {
	for i, m := range p.cloud.queued {
		if p.inFlight[m.Chunk] > 0 {
			continue
		}
		if !p.script.Unordered && (i > 0 || len(p.inFlight) > 0) {
			return // in order, one after the other
		}
		add(4, func(ctx context.Context) { p.deliver(ctx, m) })
		if p.plan.duplicateDeliveries > 0 && !m.dead && !p.isPoisoned(ctx, m.Chunk) {
			add(2, func(ctx context.Context) {
				p.plan.duplicateDeliveries--
				p.begin(ctx, fmt.Sprintf("process %d, once more", m.Chunk),
					func(ctx context.Context) error { return p.functions.process.Run(ctx, m.ChunkRef) },
					func(t *task) { p.finishTask(t) })
			})
		}
	}
}

// deliver passes a message to its function, and deletes it if the function succeeds.
func (p *importRun) deliver(ctx context.Context, m message) {
	p.inFlight[m.Chunk]++
	run, name := p.functions.process.Run, fmt.Sprintf("process %d", m.Chunk)
	if m.dead {
		run, name = p.functions.deadletter.Run, fmt.Sprintf("deadletter %d", m.Chunk)
	}
	finish := func(t *task) {
		if p.inFlight[m.Chunk]--; p.inFlight[m.Chunk] == 0 {
			delete(p.inFlight, m.Chunk)
		}
		p.finishTask(t)
		p.countReceive(ctx, m, t.err == nil && !t.died)
	}
	t := p.begin(ctx, name, func(ctx context.Context) error { return run(ctx, m.ChunkRef) }, finish)
	if !m.dead && p.isPoisoned(ctx, m.Chunk) {
		p.resume([]*task{t}, dieBefore)
	}
}

// countReceive deletes one message of the chunk, or counts a failed delivery. There may be several
// messages, because a splitter that runs again sends them again.
func (p *importRun) countReceive(ctx context.Context, m message, done bool) {
	for i := range p.cloud.queued {
		q := &p.cloud.queued[i]
		if *q != m {
			continue
		}
		if done {
			p.cloud.queued = append(p.cloud.queued[:i:i], p.cloud.queued[i+1:]...)
			return
		}
		// Only a chunk that can never be processed becomes a dead letter: other chunks have fewer faults
		// than deliveries.
		if q.receives++; q.receives >= maxReceives && p.isPoisoned(ctx, q.Chunk) {
			q.dead = true
		}
		return
	}
}
