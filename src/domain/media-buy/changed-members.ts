/** One thing that a change sets: of a package, or of the whole order where no package is named. */
export interface ChangedMember {
  readonly member: string
  readonly packageId?: string
}

/** A change as far as what it sets is read from it. */
export interface ChangeRequest {
  readonly packages?: readonly { readonly package_id: string }[] | undefined
}

/** Members of a change that set something of the whole order; other members say which order, by whom and when. */
const OF_ORDER: readonly string[] = [
  'name',
  'paused',
  'canceled',
  'start_time',
  'end_time',
  'new_packages',
  'invoice_recipient',
  'reporting_webhook',
  'total_budget',
]

/** Members of a package that set nothing. */
const NOT_SET: readonly string[] = ['package_id', 'context', 'ext']

/** Members that set the same thing under several names. */
const SAME: Readonly<Record<string, string>> = {
  start_time: 'dates',
  end_time: 'dates',
  total_budget: 'budget',
  keyword_targets_add: 'targeting_overlay',
  keyword_targets_remove: 'targeting_overlay',
  negative_keywords_add: 'targeting_overlay',
  negative_keywords_remove: 'targeting_overlay',
  creatives: 'creative_assignments',
}

/** What an update_media_buy request sets, in its order. */
export function changedMembers(request: ChangeRequest): ChangedMember[] {
  const order = OF_ORDER.filter((member) => Reflect.get(request, member) !== undefined).map(named)
  const packages = (request.packages ?? []).flatMap((pkg) =>
    Object.entries(pkg)
      .filter(([member, value]) => value !== undefined && !NOT_SET.includes(member))
      .map(([member]) => ({ ...named(member), packageId: pkg.package_id })),
  )
  return [...order, ...packages]
}

function named(member: string): ChangedMember {
  return { member: SAME[member] ?? member }
}

/**
 * What `newer` sets that `older` sets too, as words for a reader; empty when both can hold. What is canceled has nothing left to change, and
 * what is set of the whole order is set of its packages. Time grows with the members of both.
 */
export function membersInBoth(newer: readonly ChangedMember[], older: readonly ChangedMember[]): string[] {
  const known = new Set(newer.map(keyOf))
  const anywhere = new Set(newer.map(({ member }) => member))
  const isOver = (packageId: string | undefined) =>
    known.has(keyOf({ member: 'canceled', ...(packageId !== undefined && { packageId }) }))
  const shared = older.filter(
    (each) =>
      isOver(undefined) ||
      (each.packageId === undefined
        ? each.member !== 'canceled' && anywhere.has(each.member)
        : isOver(each.packageId) || known.has(keyOf(each)) || known.has(keyOf({ member: each.member }))),
  )
  return [...new Set(shared.map(({ member, packageId }) => (packageId === undefined ? member : `${member} of ${packageId}`)))]
}

function keyOf({ member, packageId }: ChangedMember): string {
  return JSON.stringify([member, packageId])
}
