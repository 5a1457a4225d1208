import type { AdServer, BookedLine, Booking, LineOrder } from '../../ad-serving/ad-server.ts'
import type { AdServers } from '../../ad-serving/ad-servers.ts'
import { readIds } from '../../ad-serving/external-id.ts'
import { CAP_OF_MEDIA_BUY } from '../../domain/ad-serving/unkeepable.ts'
import type { ActingPrincipal } from '../../domain/identity/principal.ts'
import { type LineHours, type LineReport, servingWindows } from '../../domain/media-buy/delivery.ts'
import type { CreativeFacts, MediaBuy, Package } from '../../domain/media-buy/media-buy.ts'
import { inSandbox } from '../../domain/protocol/by-caller.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { requestOrders } from '../../store/ad-serving/ad-server-orders.ts'
import { setDeliverySource } from '../../store/ad-serving/delivery-sources.ts'
import type { Db } from '../../store/database.ts'
import type { PoolNow } from './reservations.ts'

/** What ordering needs to know: the buyer, and access to the store and the ad server. */
export interface OrderContext {
  readonly principal: ActingPrincipal
  readonly account: { readonly sandbox: boolean } | undefined
  readonly services: { readonly adServers: AdServers }
  readonly db: Db
  readonly now: Date
}

/** Whether an order costs nobody money: its buyer is a sandbox agent, or its account a sandbox account. */
export function isSimulated({ principal, account }: Pick<OrderContext, 'principal' | 'account'>): boolean {
  return inSandbox({ principal, account })
}

/** The ad server that orders of this buyer are booked in. */
export function adServerOf(context: Pick<OrderContext, 'principal' | 'account' | 'services'>): AdServer {
  return context.services.adServers.of(context.principal.tenantId, { sandbox: isSimulated(context) })
}

type BookingContext = Pick<OrderContext, 'principal' | 'services' | 'now'>

/** The ad servers of a media buy that are reconciled with it. When there are no others, its delivery is in the daily sums. */
export function reconciledWith({ principal, services }: BookingContext, buy: MediaBuy) {
  const backends = services.adServers.backends(principal.tenantId)
  if (backends.size === 0) return undefined
  const booked = readIds(buy.orderId).map(({ adServer }) => adServer)
  const names = booked.filter((adServer) => backends.has(adServer))
  const isWhole = names.length > 0 && names.length === booked.length
  return { names, source: isWhole ? ('ledger' as const) : ('live' as const) }
}

/** Has the ad servers that are reconciled brought to a changed media buy, in the transaction that writes it. */
export async function requestReconciliation(tx: Db, context: BookingContext, buy: MediaBuy): Promise<void> {
  const reconciled = reconciledWith(context, buy)
  if (!reconciled) return
  await requestOrders(tx, context.principal, buy.mediaBuyId, reconciled.names, context.now)
  await setDeliverySource(tx, context.principal.tenantId, buy.mediaBuyId, reconciled.source)
}

/** Sandbox buyers reserve from a pool of their own, so that tests never eat real inventory. */
export function poolOf(context: Pick<OrderContext, 'principal' | 'account' | 'now'>): PoolNow {
  const { tenantId, principalId } = context.principal
  return { tenantId, pool: isSimulated(context) ? principalId : '', now: context.now }
}

/** Whether an order is simulated and held to what the production ad servers keep: all but those of the official suite. */
export function isHeldToProduction(context: Pick<OrderContext, 'principal' | 'account'>): boolean {
  return isSimulated(context) && context.principal.conformance !== true
}

/**
 * Throws UNSUPPORTED_FEATURE, naming the member of the package, for what the ad servers of the packages cannot keep; asks no one. `path`: of the packages in the request, where they are those
 * of the request in their order.
 */
export function requireKeepable(context: KeepingContext, packages: readonly Package[], path?: string): void {
  for (const [index, pkg] of packages.entries())
    try {
      requireLines(context, lineOrders([pkg]))
    } catch (error) {
      const shared = error instanceof AdcpError ? atRoot(error) : undefined
      if (shared || path === undefined) throw shared ?? error
      const own = error instanceof AdcpError && error.field?.startsWith(`${path}[`) === false ? error.field : undefined
      throw error instanceof AdcpError && own !== undefined ? error.withField(`${path}[${index}].${own}`) : error
    }
}

type KeepingContext = Pick<OrderContext, 'principal' | 'account' | 'services'>

function requireLines(context: KeepingContext, lines: readonly LineOrder[]): void {
  adServerOf(context).requireKeepable?.(lines)
  if (!isHeldToProduction(context)) return
  const production = context.services.adServers.of(context.principal.tenantId, { sandbox: false })
  production.requireKeepable?.(lines.map(({ lineId: _simulated, ...line }) => line))
}

/** An error of an ad server about a line, with its field in the request; the cap of a media buy is at the root. */
function atRoot(error: AdcpError): AdcpError | undefined {
  return error.field === CAP_OF_MEDIA_BUY ? error.withField('daily_budget_cap') : undefined
}

/** The lines of an order as the ad server takes them; canceled packages have none. */
export function lineOrders(packages: readonly Package[]): LineOrder[] {
  return packages
    .filter((pkg) => !pkg.cancellation)
    .map(({ packageId, productId, pricing, guaranteed, terms, targetingOverlay, lineId }) => ({
      packageId,
      productId,
      pricing,
      guaranteed,
      terms,
      ...(targetingOverlay && { targetingOverlay }),
      ...(lineId !== '' && { lineId }),
    }))
}

/** The media buy with the ids that the ad server gave it. */
export function withBooking(buy: MediaBuy, { orderId, lineIds }: Booking): MediaBuy {
  const packages = buy.packages.map((pkg) => ({ ...pkg, lineId: lineIds.get(pkg.packageId) ?? pkg.lineId }))
  return { ...buy, orderId, packages }
}

/** Whose media buys are reported on, and by what. */
type ReportContext = Pick<OrderContext, 'services' | 'now'> & {
  /** In whose days; default UTC. */
  readonly timeZone?: string
  /** Media buys whose counts are imported already (`importSelected`). */
  readonly imported?: ReadonlySet<string>
  readonly principal: Pick<ActingPrincipal, 'tenantId' | 'sandbox'>
}

/**
 * Delivery of media buys as the ad servers report it that they are booked in, by media buy id; what was counted until now is imported before. Never inside a transaction
 * that writes.
 */
export async function reportsOf(
  { services, principal, now, timeZone, imported }: ReportContext,
  buys: readonly MediaBuy[],
  creatives: CreativeFacts,
): Promise<ReadonlyMap<string, readonly LineReport[]>> {
  const lines = buys.flatMap((buy) => buy.packages.map((pkg) => bookedLine(pkg, creatives)))
  const adServer = services.adServers.of(principal.tenantId, principal)
  const others = buys.filter(({ mediaBuyId }) => imported?.has(mediaBuyId) !== true)
  if (others.length > 0) await services.adServers.importOnRead(principal.tenantId, others)
  const reports = lines.length > 0 ? await adServer.reportDelivery(lines, now, timeZone) : []
  const byPackage = new Map(reports.map((report) => [report.packageId, report]))
  return new Map(
    buys.map((buy) => [
      buy.mediaBuyId,
      buy.packages.flatMap((pkg) => {
        const report = byPackage.get(pkg.packageId)
        return report ? [report] : []
      }),
    ]),
  )
}

/** Delivery of the packages of media buys in hours of UTC, `YYYY-MM-DDTHH`, likewise, by package and hour. Throws SERVICE_UNAVAILABLE where an ad server counts by day. */
export async function hoursOf(
  { services, principal }: Omit<ReportContext, 'now' | 'timeZone'>,
  buys: readonly MediaBuy[],
  creatives: CreativeFacts,
  hours: readonly string[],
): Promise<ReadonlyMap<string, LineHours['hours']>> {
  const lines = buys.flatMap((buy) => buy.packages.map((pkg) => bookedLine(pkg, creatives)))
  const adServer = services.adServers.of(principal.tenantId, principal)
  if (!adServer.reportHours) throw new AdcpError('SERVICE_UNAVAILABLE', 'the ad server of these orders counts by day')
  await services.adServers.importOnRead(principal.tenantId, buys)
  const reports = lines.length > 0 ? await adServer.reportHours(lines, hours) : []
  return new Map(reports.map((report) => [report.packageId, report.hours]))
}

function bookedLine(pkg: Package, creatives: CreativeFacts): BookedLine {
  return {
    packageId: pkg.packageId,
    lineId: pkg.lineId,
    pricing: pkg.pricing,
    channels: pkg.channels,
    terms: [...pkg.pastTerms, pkg.terms],
    serving: servingWindows(pkg, creatives.get(pkg.packageId)),
    recorded: pkg.recorded,
    ...(pkg.feedback && { feedback: pkg.feedback }),
  }
}
