import { DEFAULT_CURRENCY } from '../money.ts'
import type { TenantSettings } from './principal.ts'

/** The publisher's time zone (IANA): its days, months and dayparts. `fallback`: that of the deployment. */
export function timeZoneOf({ timeZone }: TenantSettings, fallback = 'UTC'): string {
  return timeZone ?? fallback
}

/** The publisher's currency (ISO 4217): what its people plan and close months in. Orders keep the currency that they were placed in. */
export function currencyOf({ currency }: { readonly currency?: string | null | undefined }): string {
  return currency ?? DEFAULT_CURRENCY
}
