-- +goose Up
-- Orders. The uploads that make them are in the next file.

CREATE TABLE orders (
    id                   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    organisation_id      bigint  NOT NULL REFERENCES organisations,
    -- What people call the order: ORD000123.
    order_id             text    NOT NULL GENERATED ALWAYS AS ('ORD' || lpad(id::text, greatest(6, length(id::text)), '0')) STORED,
    -- "<client id>:<client reference>", or "HASH:<SHA-256 of the canonical row>".
    idempotency_key      text    NOT NULL CHECK (length(idempotency_key) <= 300),
    client_id            bigint  NOT NULL CHECK (client_id > 0),
    client_reference     text,
    sender_name          text    NOT NULL,
    sender_address       text    NOT NULL,
    sender_contact       text    NOT NULL,
    receiver_name        text    NOT NULL,
    receiver_address     text    NOT NULL,
    receiver_city        text    NOT NULL,
    receiver_pincode     text    NOT NULL CHECK (receiver_pincode ~ '^[1-9][0-9]{5}$'),
    item_count           bigint  NOT NULL CHECK (item_count > 0),
    total_weight         numeric NOT NULL CHECK (total_weight > 0),
    service_type         text    NOT NULL CHECK (service_type IN ('EXPRESS', 'STANDARD', 'ECONOMY')),
    declared_value       numeric CHECK (declared_value BETWEEN 0 AND 100000),
    cod_amount           numeric CHECK (cod_amount >= 0),
    special_instructions text,
    status               text    NOT NULL DEFAULT 'PENDING'
        CHECK (status IN ('PENDING', 'CONFIRMED', 'IN_TRANSIT', 'DELIVERED', 'CANCELLED')),
    created_at           timestamptz NOT NULL DEFAULT now(),
    updated_at           timestamptz NOT NULL DEFAULT now(),
    source_job           bigint,
    source_row           bigint,
    UNIQUE (organisation_id, id),
    UNIQUE (organisation_id, order_id),
    -- This is what keeps two batches that run at the same time from making an
    -- order twice: the second waits for the first one's commit.
    CONSTRAINT orders_idempotency_key UNIQUE (organisation_id, idempotency_key)
);
CALL isolate_tenants('orders');
