package job

import "time"

// SealedSecret is the secret of a webhook as stored in the database: encrypted.
type SealedSecret string

// Webhook is the address at which an organisation receives events about its imports.
type Webhook struct {
	URL string
	// Secrets sign each message: the current one and, while it is being replaced, the previous
	// one.
	Secrets       []SealedSecret
	PreviousUntil *time.Time // until when the previous secret also signs
	DisabledAt    *time.Time // when its server answered that it is permanently gone
	Paused        bool       // whether it is not called for now, because its server did not answer
	CreatedAt     time.Time
	UpdatedAt     time.Time
}

// DeliveryStatus is the status of the delivery of an event to a webhook.
type DeliveryStatus string

// The statuses of a delivery. The last two are final.
const (
	DeliveryPending   DeliveryStatus = "PENDING"
	DeliveryDelivered DeliveryStatus = "DELIVERED"
	DeliveryFailed    DeliveryStatus = "FAILED"
)

// Delivery is the delivery of an event to a webhook.
type Delivery struct {
	EventID    EventID
	JobID      ID       // "" for a test or an export
	ExportID   ExportID // "" for anything but an export
	EventType  string
	Body       string // as sent, identical in every attempt
	Status     DeliveryStatus
	Attempts   int
	AttemptDue bool // the next attempt is due, by the database clock
	// HTTPStatus is the status of the last response, 0 if there was none; Error is the reason
	// why the last attempt failed.
	HTTPStatus    int
	Error         string
	CreatedAt     time.Time
	NextAttemptAt time.Time
	EndedAt       *time.Time
}

// Attempt is the result of one attempt to send a delivery.
type Attempt struct {
	Status     DeliveryStatus // new status of the delivery
	HTTPStatus int
	Error      string
	Pause      time.Duration // until the next attempt if it is PENDING
}
