import { isTimeZone } from '../../domain/calendar/local-time.ts'
import type { AdminRole } from '../../domain/identity/admin-role.ts'
import type { Lifecycle } from '../../domain/identity/lifecycle.ts'
import type { SigningProfileName, Tenant, TenantSettings } from '../../domain/identity/principal.ts'
import { timeZoneOf } from '../../domain/identity/publisher-settings.ts'
import { isCurrency } from '../../domain/money.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { RELEASES } from '../../protocol/releases.ts'
import { deliveryZone } from '../../store/ad-serving/delivery-sums.ts'
import { beginRebuild, finishRebuild } from '../../store/ad-serving/rebuild-sums.ts'
import { lastClosedMonth, zoneToCount } from '../../store/billing/counted-zone.ts'
import { advanceBook } from '../../store/book-revision.ts'
import type { Db } from '../../store/database.ts'
import { findTenant, makePublicDefault, renameTenant, saveTenantSettings } from '../../store/identity/tenants.ts'
import type { ActContext } from '../act.ts'
import { readBillingParties } from '../billing-parties.ts'
import { changedMembers } from '../changed-members.ts'
import { requireDomain } from '../domain-name.ts'
import { presentSettings, type ShownSettings } from './present-tenant.ts'

/** A change of a publisher or its policy; members that are absent stay unchanged. */
export interface TenantChange {
  /** Name shown to people. */
  readonly name?: string
  readonly domain?: string
  /** Answer calls that name no publisher, in the place of the one that did. */
  readonly isPublicDefault?: true
  /** `default`: that of the deployment. */
  readonly signingProfile?: SigningProfileName | 'default'
  readonly verifyOperators?: boolean
  readonly governanceAgent?: boolean
  /** Total budget in micros of any currency above which a buy needs approval; null: never. */
  readonly approvalAboveMicros?: number | null
  /** Parties of enums/billing-party, or `all`. */
  readonly billing?: readonly string[] | 'all'
  /** Release lines of AdCP that buyers may name, e.g. `3.1`, or `all` that the server has. */
  readonly releases?: readonly string[] | 'all'
  /** How long finalized proposals hold inventory, 1 to 48 hours, and the per cent of a product's day that one buyer may hold. */
  readonly holdHours?: number
  readonly holdShare?: number
  /** Which tools for buying are listed. */
  readonly lifecycle?: Lifecycle
  /** IANA name, or `default`: that of the deployment. */
  readonly timeZone?: string
  /** ISO 4217 code that the runtime knows, or `default`. */
  readonly currency?: string
  /** Roles whose sign-in needs a second factor, and whether it does at the identity provider too. */
  readonly secondFactor?: readonly AdminRole[]
  readonly secondFactorAtProvider?: boolean
}

/**
 * Changes a publisher or its policy. With another time zone, its daily sums of delivery are made again. Throws INVALID_REQUEST for an unknown time zone or currency, and
 * what is no domain; INVALID_STATE for another time zone once a month is closed.
 */
export async function changeTenant(
  { store, config, clock, noteAllChanges }: Pick<ActContext, 'store' | 'config' | 'clock' | 'noteAllChanges'>,
  tenantId: string,
  change: TenantChange,
): Promise<ShownSettings> {
  const names = {
    ...(change.name !== undefined && { name: change.name }),
    ...(change.domain !== undefined && { domain: requireDomain(change.domain, 'domain') }),
  }
  const shown = await store.transaction(async (tx) => {
    const tenant = await findTenant(tx, tenantId)
    const changed = changedSettings(tenant?.settings ?? {}, change)
    await saveTenantSettings(tx, tenantId, changed)
    await renameTenant(tx, tenantId, names)
    const after = timeZoneOf(changed, config.ads.timeZone)
    if (after !== timeZoneOf(tenant?.settings ?? {}, config.ads.timeZone)) await requireNoneClosed(tx, tenantId, after)
    const timeZone = await zoneToCount(tx, tenantId, after)
    const isOtherZone = timeZone !== (await deliveryZone(tx, tenantId))
    if (isOtherZone) await beginRebuild(tx, tenantId, timeZone, clock())
    if (change.isPublicDefault) await makePublicDefault(tx, tenantId)
    if (tenant) {
      const isPublicDefault = tenant.isPublicDefault || change.isPublicDefault === true
      noteAllChanges(changedMembers(valuesOf(tenant), valuesOf({ ...tenant, ...names, settings: changed, isPublicDefault })))
    }
    return { settings: presentSettings(changed), isOtherZone }
  })
  if (shown.isOtherZone) await finishRebuild(store, tenantId, clock)
  return shown.settings
}

/** Throws INVALID_STATE when months were closed by days of another time zone. */
async function requireNoneClosed(tx: Db, tenantId: string, timeZone: string): Promise<void> {
  // First, so that no month is closed meanwhile: closing writes the same row.
  await advanceBook(tx, tenantId)
  const month = await lastClosedMonth(tx, tenantId)
  const counted = await deliveryZone(tx, tenantId)
  if (month === undefined || timeZone === counted) return
  const message = `the time zone stays ${counted}: months up to ${month} are closed by its days, and in ${timeZone} delivery would move over the ends of months, so that what is invoiced would have to be corrected; a publisher with another time zone is another publisher (tenants add)`
  throw new AdcpError('INVALID_STATE', message, { field: 'time_zone' })
}

function valuesOf({ name, domain, settings, isPublicDefault }: Tenant): object {
  return { name, domain, ...presentSettings(settings), public: isPublicDefault }
}

function changedSettings(settings: TenantSettings, change: TenantChange): TenantSettings {
  const {
    signingProfile,
    approvalAboveMicros,
    billing,
    releases,
    timeZone,
    currency,
    lifecycle,
    secondFactor: _,
    ...others
  } = settings
  const { verifyOperators, governanceAgent, holdHours: hours, holdShare: share } = change
  const holds = { ...settings.holds, ...(hours !== undefined && { hours }), ...(share !== undefined && { share }) }
  const profile = change.signingProfile === 'default' ? undefined : (change.signingProfile ?? signingProfile)
  const limit = change.approvalAboveMicros === undefined ? approvalAboveMicros : (change.approvalAboveMicros ?? undefined)
  const parties = change.billing === undefined ? billing : readBillingParties(change.billing)
  const lines = change.releases === undefined ? releases : linesOf(change.releases)
  const zone = change.timeZone === undefined ? timeZone : timeZoneIn(change.timeZone)
  const money = change.currency === undefined ? currency : currencyIn(change.currency)
  const { secondFactor: roles = settings.secondFactor?.roles ?? [] } = change
  const { secondFactorAtProvider: atProvider = settings.secondFactor?.atProvider ?? false } = change
  const listed = change.lifecycle === 'both' ? undefined : (change.lifecycle ?? lifecycle)
  return {
    ...others,
    ...(profile !== undefined && { signingProfile: profile }),
    ...(Object.keys(holds).length > 0 && { holds }),
    ...(verifyOperators !== undefined && { verifyOperators }),
    ...(governanceAgent !== undefined && { governanceAgent }),
    ...(limit !== undefined && { approvalAboveMicros: limit }),
    ...(parties !== undefined && { billing: parties }),
    ...(lines !== undefined && { releases: lines }),
    ...(zone !== undefined && { timeZone: zone }),
    ...(money !== undefined && { currency: money }),
    ...(listed !== undefined && { lifecycle: listed }),
    ...((roles.length > 0 || atProvider) && { secondFactor: { roles, atProvider } }),
  }
}

function timeZoneIn(text: string): string | undefined {
  if (text === 'default') return undefined
  if (isTimeZone(text))
    return Intl.supportedValuesOf('timeZone').find((zone) => zone.toLowerCase() === text.toLowerCase()) ?? text
  const message = `"${text}" is no IANA time zone; write one such as Europe/Berlin, UTC, or default`
  throw new AdcpError('INVALID_REQUEST', message, { field: 'time_zone' })
}

function currencyIn(text: string): string | undefined {
  if (text === 'default') return undefined
  if (isCurrency(text)) return text
  const message = `"${text}" is no currency of ISO 4217; write its code, such as EUR, or default`
  throw new AdcpError('INVALID_REQUEST', message, { field: 'currency' })
}

function linesOf(named: readonly string[] | 'all'): TenantSettings['releases'] {
  if (named === 'all') return undefined
  return RELEASES.map(({ line }) => line).filter((line) => named.includes(line))
}
