import type { Act } from '../act.ts'
import { deliveryReport } from './delivery-report.ts'
import { rebuildDelivery } from './rebuild-delivery.ts'
import { showReportPage } from './report-page.ts'
import { showRevenue } from './revenue.ts'
import { forgetReport, listSaved, openReport, saveReport } from './saved-reports.ts'

/** What was delivered, in the order of the help. */
export const deliveryActs: readonly Act[] = [deliveryReport, rebuildDelivery]

/** What is done with reports that have a name. */
export const savedReportActs: readonly Act[] = [listSaved, openReport, saveReport, forgetReport]

/** What was delivered and earned. */
export const reportActs: readonly Act[] = [...deliveryActs, showRevenue, showReportPage, ...savedReportActs]
