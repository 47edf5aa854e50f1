"""Random inputs for the laws of the project, as many as there is time for: `python3 dev fuzz --help`.

campaign.py     runs targets on numbered inputs, shortens what fails and keeps it in tests/tables/finds.jsonl
mutations.py    random URLs with changes
urls.py         URLs and texts of both profiles; pattern, table and recognizer on URLs
grammars.py     random grammars
dialogues.py    dialogues with servers whose octets are spoilt
arrays.py       Arrow arrays
"""
