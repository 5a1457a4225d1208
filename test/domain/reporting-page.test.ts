import { expect, test } from 'vitest'
import { withinSize } from '../../src/domain/reporting/obligation.ts'

const item = (packages: number) => ({
  packageIds: Array.from({ length: packages }, (_, index) => `package_${index}_of_many_more`),
})

test('a page of reports is some two hundred thousand characters at most, and has one item at least', () => {
  const many = Array.from({ length: 50 }, () => item(1_200))
  const page = withinSize(many)
  expect(page.length).toBeGreaterThan(1)
  expect(JSON.stringify(page).length).toBeLessThan(201_000)
  expect(JSON.stringify(many.slice(0, page.length + 1)).length).toBeGreaterThan(200_000)
  expect(withinSize([item(50_000), item(1)])).toHaveLength(1)
  expect(withinSize(Array.from({ length: 50 }, () => item(12)))).toHaveLength(50)
  expect(withinSize([])).toEqual([])
})
