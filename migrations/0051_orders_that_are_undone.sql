-- +goose NO TRANSACTION
-- +goose Up
-- Orders that an import has made go when it is undone. The rows of uploads that made them
-- stay, without an order. Each statement is a transaction of its own, as in 0028.
ALTER TABLE bulk_upload_row
    DROP CONSTRAINT IF EXISTS bulk_upload_row_order,
    ADD CONSTRAINT bulk_upload_row_order CHECK (order_id IS NULL OR status = 'CREATED') NOT VALID;
ALTER TABLE bulk_upload_row
    DROP CONSTRAINT IF EXISTS bulk_upload_row_organisation_id_order_id_fkey,
    DROP CONSTRAINT IF EXISTS bulk_upload_row_order_fkey,
    ADD CONSTRAINT bulk_upload_row_order_fkey FOREIGN KEY (organisation_id, order_id) REFERENCES orders (organisation_id, id)
        ON DELETE SET NULL (order_id) NOT VALID;

ALTER TABLE bulk_upload_row NO FORCE ROW LEVEL SECURITY;
ALTER TABLE orders NO FORCE ROW LEVEL SECURITY;
ALTER TABLE bulk_upload_row VALIDATE CONSTRAINT bulk_upload_row_order;
ALTER TABLE bulk_upload_row VALIDATE CONSTRAINT bulk_upload_row_order_fkey;
ALTER TABLE bulk_upload_row FORCE ROW LEVEL SECURITY;
ALTER TABLE orders FORCE ROW LEVEL SECURITY;
