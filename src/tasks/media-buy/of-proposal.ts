import type { Package } from '../../domain/media-buy/media-buy.ts'
import { isBilledByUnit } from '../../domain/media-buy/pricing.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { quoted } from '../../protocol/nearest-name.ts'
import type { PlacedOrder } from './placed-order.ts'

/** The packages that a proposal came to, as far as they are known: in the order of the request that they stand for. */
type Derived = readonly (Pick<Package, 'productId'> & Partial<Pick<Package, 'terms' | 'pricing'>>)[]

/** A package as errors name it, with the member of it. */
const PATHS = /packages\[(\d{1,3})\](?:\.(\w+)(?:\.\w+|\[\d+\])*)?/g
const PATH = /^packages\[(\d{1,3})\](?:\.(\w+))?/

/**
 * Does a part of placing an order, and says what is wrong with a package that the request does not have, since a proposal came to it, of its product and of the members that were
 * sent: `proposal_id`, `total_budget`, the dates. Throws what the work throws.
 */
export async function ofProposal<T>(request: PlacedOrder, packages: () => Derived, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const isDerived = request.proposal_id !== undefined && !request.packages
    throw isDerived && error instanceof AdcpError ? asOfProposal(error, request, packages()) : error
  }
}

function asOfProposal(error: AdcpError, request: PlacedOrder, packages: Derived): AdcpError {
  const { field = '', faults, suggestion, message, ...rest } = error
  const [, index, member = ''] = PATH.exec(field) ?? []
  if (index === undefined && !faults) return error
  const pkg = packages[Number(index)]
  const said = message.replace(PATHS, (_path, at: string, name?: string) => {
    const product = packages[Number(at)]?.productId ?? 'a product'
    return name === undefined || name === 'product_id' ? product : `${name} of ${product}`
  })
  const isOfBudget = member === 'budget'
  const { code, details, recovery, issues, retryAfter, cause } = rest
  return new AdcpError(code, said, {
    field: index === undefined ? field : isOfBudget ? 'total_budget.amount' : (DATES[member] ?? 'proposal_id'),
    ...(index === undefined && suggestion !== undefined && { suggestion }),
    ...(index !== undefined && { suggestion: whatToSend(request, pkg?.productId, packages, details) }),
    ...(details !== undefined && { details }),
    ...(recovery !== undefined && { recovery }),
    ...(issues !== undefined && { issues }),
    ...(retryAfter !== undefined && { retryAfter }),
    ...(cause !== undefined && { cause }),
    ...(faults && { faults: faults.map((fault) => asOfProposal(fault, request, packages)) }),
  })
}

/** Members of an order that the packages of a proposal have theirs from. */
const DATES: Readonly<Record<string, string>> = { start_time: 'start_time', end_time: 'end_time' }

/** What a buyer can send: a total of which the product gets what there is room for, other dates, the packages without the product, or the proposal changed first. */
function whatToSend(
  { proposal_id: id = '', total_budget: total }: PlacedOrder,
  productId: string | undefined,
  packages: Derived,
  details: AdcpError['details'],
): string {
  const fitting: unknown = details?.fitting_budget
  const most =
    typeof fitting === 'number' && total && productId ? totalFor(fitting, productId, total.amount, packages) : undefined
  const product = productId ?? 'the product'
  return [
    most === undefined ? 'send another total_budget.amount' : `send total_budget.amount ${most}`,
    'other start_time and end_time',
    `packages without ${product} beside proposal_id`,
    `or change the proposal first: get_products with buying_mode "refine" and {"scope": "proposal", "proposal_id": ${quoted(id)}, "ask": "drop ${product}"}`,
  ].join(', ')
}

/** The total by which a product has a budget (major units): what is paid by what it delivers has its part of what the others leave. Whole units, rounded down. */
function totalFor(fitting: number, productId: string, total: number, packages: Derived): number | undefined {
  const open = packages.filter(({ pricing }) => pricing && isBilledByUnit(pricing.model))
  const sum = (of: Derived) => of.reduce((micros, { terms }) => micros + (terms?.budgetMicros ?? 0), 0) / 1e6
  const own = sum(open.filter((pkg) => pkg.productId === productId))
  if (own <= 0 || fitting >= own) return undefined
  return Math.floor(total - sum(open) * (1 - fitting / own))
}
