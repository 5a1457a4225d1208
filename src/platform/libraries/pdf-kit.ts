export { default as PdfDocument } from 'pdfkit'
