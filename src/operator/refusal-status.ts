import type { AdcpError } from '../protocol/errors.ts'

/** HTTP status by error code; what is not listed is a wrong request. */
const STATUS: Readonly<Record<string, number>> = {
  AUTH_REQUIRED: 401,
  AUTH_INVALID: 401,
  PERMISSION_DENIED: 403,
  REFERENCE_NOT_FOUND: 404,
  MEDIA_BUY_NOT_FOUND: 404,
  CREATIVE_NOT_FOUND: 404,
  ACCOUNT_NOT_FOUND: 404,
  CONFLICT: 409,
  INVALID_STATE: 409,
  NOT_CANCELLABLE: 409,
  PRODUCT_UNAVAILABLE: 409,
  RATE_LIMITED: 429,
  SERVICE_UNAVAILABLE: 503,
}

/** HTTP status of what an act refuses, in the admin API and in the console. */
export function statusOf({ http, code }: Pick<AdcpError, 'http' | 'code'>): number {
  return http?.status ?? STATUS[code] ?? 400
}
