import { defineAct } from '../act.ts'
import { READERS } from '../roles.ts'
import { object } from '../shape.ts'
import { deliveryReport, reportOf, reportQuestion } from './delivery-report.ts'
import { reportShape } from './delivery-report-shape.ts'
import { readDelivery } from './read-delivery.ts'
import { RANGE } from './report-range.ts'
import { revenueOf, revenueQuestions, revenueShape } from './revenue.ts'

/** What `showRevenue` and `deliveryReport` say of the same days, in one reading. Throws what they throw. */
export const showReportPage = defineAct({
  name: 'reports.overview',
  route: 'GET /reports/overview',
  id: 'reportOverview',
  roles: READERS,
  summary: 'Revenue, and delivery by one to four dimensions, of the same days.',
  fields: { ...RANGE, by: deliveryReport.fields.by },
  answer: object({ revenue: revenueShape, report: reportShape }),
  async run(context, query) {
    const question = await reportQuestion(context, query)
    const asked = revenueQuestions(question)
    const answers = await readDelivery(context, { tenantId: context.tenantId }, [...asked, question])
    return { revenue: revenueOf(question, answers), report: await reportOf(context, question, answers.at(-1) ?? []) }
  },
})
