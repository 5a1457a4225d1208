import type { Assignment, Package } from './media-buy.ts'
import type { OrderChange } from './order-request.ts'

/** What an update assigns. */
export interface NewAssignments {
  /** Creative assignments to put in place of the present ones, by package id. */
  readonly assignments: ReadonlyMap<string, readonly Assignment[]>
  /** Assignments of uploaded creatives that join the present ones, by package id. */
  readonly additions: ReadonlyMap<string, readonly Assignment[]>
}

/** New packages start with what comes with them; present ones get a new list, or uploads beside what they have. */
export function assignmentsOf(request: OrderChange, added: readonly Package[]): NewAssignments {
  const initial = added.map((pkg, index) => [pkg.packageId, assignmentsIn(request.new_packages?.[index])] as const)
  const updates = (request.packages ?? []).map((update) => ({ replaces: update.creative_assignments !== undefined, update }))
  const listOf = (replaces: boolean) =>
    updates.filter((each) => each.replaces === replaces).map(({ update }) => [update.package_id, assignmentsIn(update)] as const)
  return {
    assignments: new Map([...listOf(true), ...initial]),
    additions: new Map(listOf(false).filter(([, list]) => list.length > 0)),
  }
}

type WireAssignment = Parameters<typeof assignmentOf>[0]

/** Assignments that a package of a request makes: of library creatives, then of those it uploads. */
export function assignmentsIn(
  pkg: { creative_assignments?: WireAssignment[]; creatives?: WireAssignment[] } | undefined,
): Assignment[] {
  return [...(pkg?.creative_assignments ?? []), ...(pkg?.creatives ?? [])].map(assignmentOf)
}

/** An assignment as the buyer wrote it (AdCP core/creative-assignment.json). */
export function assignmentOf(wire: {
  readonly creative_id: string
  readonly weight?: number
  readonly placement_ids?: string[]
}): Assignment {
  return {
    creativeId: wire.creative_id,
    ...(wire.weight !== undefined && { weight: wire.weight }),
    ...(wire.placement_ids && { placementIds: wire.placement_ids }),
  }
}
