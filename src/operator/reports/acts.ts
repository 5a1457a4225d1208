import type { Act } from '../act.ts'
import { deliveryReport } from './delivery-report.ts'
import { rebuildDelivery } from './rebuild-delivery.ts'
import { showReportPage } from './report-page.ts'
import { showRevenue } from './revenue.ts'

/** What was delivered, in the order of the help. */
export const deliveryActs: readonly Act[] = [deliveryReport, rebuildDelivery]

/** What was delivered and earned. */
export const reportActs: readonly Act[] = [...deliveryActs, showRevenue, showReportPage]
