export { ApiError, answered, withResponse } from '@loadbay/client'
