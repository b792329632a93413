package job

import "time"

// SealedSecret is the secret of a webhook as the database keeps it: encrypted.
type SealedSecret string

// Webhook is where an organisation wants to hear of its imports.
type Webhook struct {
	URL string
	// Secrets sign each message: the one in use, and while it is being replaced
	// the one before it.
	Secrets       []SealedSecret
	PreviousUntil *time.Time // until when the previous secret signs too
	DisabledAt    *time.Time // its server said that it is gone for good
	CreatedAt     time.Time
	UpdatedAt     time.Time
}

// DeliveryStatus is where the delivery of an event to a webhook stands.
type DeliveryStatus string

// The statuses of a delivery. The last two are final.
const (
	DeliveryPending   DeliveryStatus = "PENDING"
	DeliveryDelivered DeliveryStatus = "DELIVERED"
	DeliveryFailed    DeliveryStatus = "FAILED"
)

// Delivery is an event on its way to a webhook.
type Delivery struct {
	EventID    EventID
	JobID      ID       // "" for a test, and of an export
	ExportID   ExportID // "" of anything else
	EventType  string
	Body       string // as it is sent, the same in every attempt
	Status     DeliveryStatus
	Attempts   int
	AttemptDue bool // the next attempt is to be made now, by the database's clock
	// HTTPStatus is that of the last response, 0 if there was none, and Error why
	// the last attempt failed.
	HTTPStatus    int
	Error         string
	CreatedAt     time.Time
	NextAttemptAt time.Time
	EndedAt       *time.Time
}

// Attempt is what came of sending a delivery once.
type Attempt struct {
	Status     DeliveryStatus // that the delivery has now
	HTTPStatus int
	Error      string
	Pause      time.Duration // until the next attempt of one that is PENDING
}
