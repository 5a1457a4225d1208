import type { GovernedAction } from '../action.ts'
import type { PlanState } from '../decision.ts'
import type { PlanDocument } from '../plan-document.ts'
import { adjust, type Condition, deny, note, type Remark } from '../remark.ts'

/** Dates, markets, channels and sellers of an action against those of the plan. */
export function checkBounds({ plan: { document } }: PlanState, action: GovernedAction): readonly Remark[] {
  return [...flight(document, action), ...markets(document, action), ...channels(document, action), ...sellers(document, action)]
}

function flight({ flight: { start, end } }: PlanDocument, { startsAt, endsAt }: GovernedAction): readonly Remark[] {
  const [from, to] = [Date.parse(start), Date.parse(end)]
  const conditions: Condition[] = []
  const outside = (at: string | undefined) => at !== undefined && (Date.parse(at) < from || Date.parse(at) > to)
  if (outside(startsAt))
    conditions.push({ field: 'start_time', requiredValue: start, reason: `the plan's flight begins at ${start}` })
  if (outside(endsAt)) conditions.push({ field: 'end_time', requiredValue: end, reason: `the plan's flight ends at ${end}` })
  if (conditions.length === 0) return []
  return [adjust('flight', `the dates are outside the plan's flight from ${start} to ${end}`, conditions)]
}

function markets({ countries, regions }: PlanDocument, action: GovernedAction): readonly Remark[] {
  const allowed = new Set(countries)
  const foreign = countries ? action.countries.filter((country) => !allowed.has(country)) : []
  const within = new Set(regions)
  const strayRegions = action.regions.filter((region) =>
    regions ? !within.has(region) : countries !== undefined && !allowed.has(region.slice(0, 2)),
  )
  const stray = [...foreign, ...strayRegions]
  if (stray.length > 0)
    return [deny('markets', `${stray.join(', ')} is outside the plan's markets`, { details: { outside: stray } })]
  if (regions && action.regions.length === 0 && action.checkType === 'intent' && action.countries.length > 0) {
    const reason = `the plan is limited to ${regions.join(', ')}`
    return [adjust('markets', reason, [{ field: 'packages[0].targeting_overlay.geo_regions', requiredValue: regions, reason }])]
  }
  return []
}

function channels({ channels: wanted }: PlanDocument, action: GovernedAction): readonly Remark[] {
  if (!wanted || action.channels.length === 0) return []
  const used = new Set(action.channels.map((share) => share.channel))
  const outside = [...used].filter(
    (channel) => channel !== undefined && wanted.allowed && !wanted.allowed.some((each) => each === channel),
  )
  return [
    ...(outside.length > 0
      ? [deny('channels', `${outside.join(', ')} is not among the plan's channels`, { details: { outside } })]
      : []),
    ...(wanted.allowed && used.has(undefined)
      ? [
          note('channels', 'warning', 'the channels of some packages are not known to this agent', {
            confidence: 0.5,
            uncertaintyReason: 'a product of another seller says nothing here about its channels',
          }),
        ]
      : []),
  ]
}

function sellers({ approved_sellers: approved }: PlanDocument, { seller }: GovernedAction): readonly Remark[] {
  if (!approved || approved.includes(seller)) return []
  return [deny('sellers', `${seller} is not among the plan's approved sellers`, { details: { seller } })]
}
