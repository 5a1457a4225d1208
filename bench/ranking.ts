/**
 * Prints how well briefs find the products that a reader judged to fit them (test/fixtures/judged-briefs.json, of the demo publisher):
 * `npx tsx bench/ranking.ts [--briefs FILE] [--each]`. Two halves: `open` was looked at while the ranking was made, `heldOut` was not.
 */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { buildIndex } from '../src/domain/product/product-index.ts'
import { demoProducts } from '../test/support/demo-products.ts'
import { type JudgedBriefs, judge, mean } from '../test/support/judged-briefs.ts'

const { values } = parseArgs({ options: { briefs: { type: 'string' }, each: { type: 'boolean' } } })
const file = values.briefs ?? new URL('../test/fixtures/judged-briefs.json', import.meta.url)
const briefs: Partial<JudgedBriefs> = JSON.parse(readFileSync(file, 'utf8'))
const index = buildIndex(demoProducts())
const percent = (share: number) => `${(100 * share).toFixed(1)} %`

console.log('| half | briefs | precision at 8 | relevant found | good found |\n|---|---|---|---|---|')
for (const [half, list] of Object.entries(briefs)) {
  const verdicts = list.map((brief) => judge(index, brief))
  if (values.each) {
    for (const { id, first, precision, good } of verdicts)
      console.log(`${id}: ${percent(precision)} ${percent(good)}\n    ${first.join(' ')}`)
  }
  const cells = [mean(verdicts, 'precision'), mean(verdicts, 'relevant'), mean(verdicts, 'good')].map(percent)
  console.log(`| ${half} | ${list.length} | ${cells.join(' | ')} |`)
}
