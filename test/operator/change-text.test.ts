import { expect, it } from 'vitest'
import { listAuditEntries } from '../../src/operator/audit/audit-acts.ts'
import { changeLine, changeTexts } from '../../src/operator/audit/change-text.ts'

const CHANGES = { status: ['active', 'suspended'], limit: [null, 5], note: ['one\ntwo', 'x'.repeat(90)], open: [true, false] }

it('says old and new value of each member', () => {
  expect(changeTexts(CHANGES)).toEqual([
    'status: active → suspended',
    'limit: none → 5',
    `note: one\ntwo → ${'x'.repeat(90)}`,
    'open: true → false',
  ])
  expect(changeTexts(undefined)).toEqual([])
})

it('in a line of the command is short, one line, and says how many it leaves out', () => {
  expect(changeLine(CHANGES)).toBe(`status: active → suspended; limit: none → 5; note: one two → ${'x'.repeat(59)}…; 1 more`)
  expect(changeLine(undefined)).toBe('-')
  expect(listAuditEntries.command?.columns?.map(([heading]) => heading)).toContain('CHANGED')
})
