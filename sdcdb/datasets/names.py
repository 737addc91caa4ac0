"""Names for made-up people, with accents and apostrophes, as in real tables."""

WOMEN = (
    *("Aisha", "Amelia", "Ana", "Beatriz", "Chloé", "Clara", "Eleni", "Elif", "Emma", "Fatima", "Grace"),
    *("Hannah", "Ingrid", "Isla", "Jana", "Keiko", "Layla", "Lucía", "Mei", "Nadia", "Nora", "Olga", "Priya"),
    *("Ruth", "Sara", "Siobhán", "Sofia", "Tala", "Vera", "Yara", "Zoë", "Zofia"),
)
MEN = (
    *("Ahmed", "André", "Anton", "Björn", "Carlos", "Daniel", "David", "Emil", "Felix", "Giorgos", "Hiroshi"),
    *("Ibrahim", "Ivan", "Jack", "Jakub", "James", "José", "Kofi", "Lars", "Liam", "Łukasz", "Mateo", "Minh"),
    *("Noah", "Omar", "Paul", "Rahul", "Samuel", "Thomas", "Tomáš", "Wei", "Yusuf"),
)
FAMILIES = (
    *("Ali", "Andersen", "Bauer", "Bianchi", "Brown", "Campbell", "Chen", "Costa", "D'Angelo", "D'Souza", "Diaz"),
    *("Dubois", "Eriksson", "Evans", "Fernández", "Fischer", "García", "Georgiou", "Gonçalves", "Gupta", "Haddad"),
    *("Hansen", "Hughes", "Ito", "Horvat", "Jansen", "Jones", "Kaya", "Khan", "Kim", "Kovač", "Larsen", "Lee"),
    *("Li", "Lopez", "Martin", "Mensah", "Moreau", "Müller", "N'Diaye", "Nguyễn", "Nowak", "O'Brien", "O'Neill"),
    *("Okafor", "Patel", "Pereira", "Petrenko", "Popescu", "Rossi", "Sato", "Schmidt", "Sharma", "Silva", "Singh"),
    *("Smith", "Suzuki", "Tanaka", "Taylor", "Wang", "Williams", "Wilson", "Yılmaz", "Zhang"),
)
