import { expect, it } from 'vitest'
import { csvText } from '../../src/operator/csv-text.ts'

it('quotes what RFC 4180 asks for, and shows formulas as text', () => {
  expect(
    csvText(
      ['name', 'spent'],
      [
        ['a "b", c', 0.1],
        ['=1+1', -5],
        ['-x', 2],
      ],
    ),
  ).toBe('name,spent\r\n"a ""b"", c",0.1\r\n\'=1+1,-5\r\n\'-x,2\r\n')
})
