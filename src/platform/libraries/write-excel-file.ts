export { default as writeExcelFile } from 'write-excel-file/node'
