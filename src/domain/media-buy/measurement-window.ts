import { DAY_MS } from '../calendar/instant.ts'

/** A stage in which the figures of a period ripen (AdCP core/measurement-window): live, then with three days of recordings, … */
export interface WindowStage {
  readonly windowId: string
  /** From the end of a period until its figures in this window are there, milliseconds. */
  readonly afterMs: number
}

/** The stages of a package, earliest first; a package whose figures are final at once has none. */
export type WindowStages = readonly WindowStage[]

interface DeclaredWindow {
  readonly window_id: string
  readonly duration_days: number
  readonly expected_availability_days?: number
}

/** The stages that a product declares. The first figures come with the report itself, in the first window. */
export function windowStages(declared: readonly DeclaredWindow[] | undefined): WindowStages {
  const stages = (declared ?? []).map(({ window_id: windowId, duration_days: days, expected_availability_days: expected }) => ({
    windowId,
    afterMs: (expected ?? days) * DAY_MS,
  }))
  return stages.toSorted((a, b) => a.afterMs - b.afterMs).map((stage, index) => (index === 0 ? { ...stage, afterMs: 0 } : stage))
}

/** Moments after the end of a period at which some package's figures ripen, in order. */
export function ripenings(packages: Iterable<WindowStages>): number[] {
  const moments = new Set([...packages].flatMap((stages) => stages.slice(1).map(({ afterMs }) => afterMs)))
  return [...moments].toSorted((a, b) => a - b)
}

/** The window that figures are in so long after the end of their period; undefined for a package without any. */
export function windowAt(
  stages: WindowStages,
  afterMs: number,
): { readonly windowId: string; readonly isLast: boolean } | undefined {
  const index = stages.findLastIndex((stage) => stage.afterMs <= afterMs)
  const stage = stages[Math.max(index, 0)]
  return stage && { windowId: stage.windowId, isLast: index === stages.length - 1 }
}
