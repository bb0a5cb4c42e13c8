// Package ledger keeps an append-only record of what was delivered.
package ledger

import (
	"crypto/sha256"
	"errors"
	"sync"
)

// ErrTampered says that an entry was changed after it was written.
var ErrTampered = errors.New("ledger: entry was changed")

// Entry is one line of the ledger; it holds the hash of the line before it.
type Entry struct {
	Previous [32]byte
	Payload  []byte
}

// Ledger is a hash chain in memory.
type Ledger struct {
	mutex   sync.Mutex
	entries []Entry
}

// Sink is anything entries can be copied to.
type Sink interface {
	Write(entry Entry) error
}

// Append adds a payload behind the last entry.
func (l *Ledger) Append(payload []byte) Entry {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	entry := Entry{Previous: l.lastHash(), Payload: payload}
	l.entries = append(l.entries, entry)
	return entry
}

// Verify walks the hash chain and finds the first entry that does not fit.
func (l *Ledger) Verify() error {
	var previous [32]byte
	for _, entry := range l.entries {
		if entry.Previous != previous {
			return ErrTampered
		}
		previous = hashEntry(entry)
	}
	return nil
}

func (l *Ledger) lastHash() [32]byte {
	if len(l.entries) == 0 {
		return [32]byte{}
	}
	return hashEntry(l.entries[len(l.entries)-1])
}

func hashEntry(entry Entry) [32]byte {
	return sha256.Sum256(append(entry.Previous[:], entry.Payload...))
}
