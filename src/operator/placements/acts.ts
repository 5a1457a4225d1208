import type { Act } from '../act.ts'
import { listPlacements, removePlacement, savePlacement, showPlacement } from './manage-placements.ts'
import { reportPlacements } from './report-placements.ts'

/** What can be done with places of pages, in the order of the help. */
export const placementActs: readonly Act[] = [listPlacements, showPlacement, savePlacement, removePlacement, reportPlacements]
